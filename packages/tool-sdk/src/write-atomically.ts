import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import type { FileLock } from "./lock-file.ts";
import { removeOnSignal, removeQuietly } from "./remove-on-signal.ts";
import { WriteConflict } from "./write-conflict.ts";

/** How much is written before signals get their turn, in bytes: about a millisecond's worth. */
const pieceBytes = 1_048_576;

/**
 * Replaces a file's content as a whole: readers, a crash and a full disk see the old content or the new one. A new file gets
 * the mode that the umask allows; an existing one keeps mode, owner and group. Extended attributes are not kept.
 *
 * @param before the state that `bytes` was made from; a file in any other state is left alone.
 * @returns what could not be kept, in sentences for the model; empty if nothing.
 * @throws WriteConflict when the file is not as it was `before`.
 * @throws the system's error; then the old content is intact and nothing lies beside it.
 */
export async function writeAtomically(lock: FileLock, bytes: Uint8Array, before?: BigIntStats): Promise<string[]> {
  const { target, temporary } = lock;
  const old = before ?? statSync(target, { bigint: true, throwIfNoEntry: false });
  // The rename would replace a file that must not be written.
  if (old) accessSync(target, constants.W_OK);
  const fd = makeTemporary(temporary, old ? 0o600 : 0o666);
  using _ = removeOnSignal(temporary);
  try {
    const lost = await fill(fd, bytes, old);
    if (before) checkUnchanged(target, before);
    renameSync(temporary, target);
    return lost;
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** The name is this process's own: a file that has it was left behind by a tool of the same process id. */
function makeTemporary(path: string, mode: number): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    removeQuietly(path);
    return openSync(path, "wx", mode);
  }
}

async function fill(fd: number, bytes: Uint8Array, old: BigIntStats | undefined): Promise<string[]> {
  try {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(fd, bytes, at, Math.min(pieceBytes, bytes.length - at));
      if (at < bytes.length) await new Promise(setImmediate);
    }
    const lost = old ? takeOver(fd, old) : [];
    await sync(fd, bytes.length);
    return lost;
  } finally {
    closeSync(fd);
  }
}

/** Waits until the disk has it; in another thread only if that may take long, since the thread takes a millisecond to start. */
async function sync(fd: number, lengthBytes: number): Promise<void> {
  if (lengthBytes < pieceBytes) return fsyncSync(fd);
  await new Promise<void>((done, fail) => fsync(fd, (error) => (error ? fail(error) : done())));
}

/** Gives the new file the old one's owner, group and mode, after writing, which can take bits of the mode away. */
function takeOver(fd: number, old: BigIntStats): string[] {
  const { uid, gid } = fstatSync(fd);
  const lost = old.nlink > 1n ? [`It had ${old.nlink} names (hard links); the others keep the old content.`] : [];
  const mode = Number(old.mode & 0o7777n);
  if (tryToOwn(fd, { uid, gid }, { uid: Number(old.uid), gid: Number(old.gid) })) {
    fchmodSync(fd, mode);
    return lost;
  }
  // What the old owner and group may do must not pass to others.
  const groupKept = tryToOwn(fd, { uid, gid }, { uid, gid: Number(old.gid) });
  fchmodSync(fd, groupKept ? mode & 0o1777 : (mode & 0o1707) | ((mode & 0o7) << 3));
  return [...lost, "It belonged to another user and is now yours."];
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function tryToOwn(fd: number, now: Owner, wanted: Owner): boolean {
  if (now.uid === wanted.uid && now.gid === wanted.gid) return true;
  try {
    fchownSync(fd, wanted.uid, wanted.gid);
    return true;
  } catch {
    return false;
  }
}

function checkUnchanged(target: string, before: BigIntStats): void {
  const now = statSync(target, { bigint: true, throwIfNoEntry: false });
  const keys = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;
  if (now && keys.every((key) => now[key] === before[key])) return;
  throw new WriteConflict("It was changed by somebody else at the same time. Read it again.");
}
