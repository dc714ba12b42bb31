// Writes a file all at once: a temporary file beside it, with the attributes of the old one, is renamed to it; where they cannot be
// copied, it is written in place. A file that has changed meanwhile is kept.

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
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WriteConflict } from "../errors.ts";
import { copyAttributes, copyWithAttributes, isMacOs, removeOnSignal } from "../platform.ts";
import { makePrivateDirectory, privateFileMode } from "./directories.ts";
import { type FileLock, removeQuietly } from "./lock.ts";
import { writeAll } from "./write-all.ts";

/** How much is written before signals and timers are handled, in bytes: about a millisecond's worth. */
const pieceBytes = 1_048_576;

/**
 * Replaces a file's content atomically: readers, a crash and a full disk leave the old content or the new. A new file gets the
 * mode that the umask allows; an existing one keeps mode, owner, group, access control list and extended attributes. If these
 * cannot be copied, the file is written in place, which keeps them, and a warning is returned.
 *
 * @param before the state that `bytes` was derived from; a file in any other state is not changed.
 * @returns warnings for the model, in sentences: what could not be kept.
 * @throws WriteConflict if the file has changed since `before`. LockError if the lock was lost.
 * @throws the system's error; the old content is then intact and no temporary file is left.
 */
export async function writeAtomically(lock: FileLock, bytes: Uint8Array, before?: BigIntStats): Promise<string[]> {
  const { target, temporary } = lock;
  const old = before ?? statSync(target, { bigint: true, throwIfNoEntry: false });
  // The rename would replace even a read-only file.
  if (old) accessSync(target, constants.W_OK);
  const guard = removeOnSignal(() => removeQuietly(temporary));
  try {
    const fd = makeTemporary(temporary, target, old);
    const lost = fd === undefined ? undefined : await fill(fd, lock, bytes, old);
    if (before) checkUnchanged(target, before);
    lock.check();
    if (lost === undefined) {
      // The temporary file has shown that there is enough space for the new content.
      removeQuietly(temporary);
      return writeInPlace(target, bytes);
    }
    renameSync(temporary, target);
    return lost;
  } finally {
    // After the rename there is nothing to remove.
    removeQuietly(temporary);
    guard[Symbol.dispose]();
  }
}

/** On macOS attributes are copied first, since they come with the old content. */
function makeTemporary(path: string, target: string, old: BigIntStats | undefined): number | undefined {
  if (!old || !isMacOs) return openSync(path, "wx", old ? 0o600 : 0o666);
  if (!copyWithAttributes(target, path)) return undefined;
  const fd = openSync(path, "r+");
  ftruncateSync(fd, 0);
  return fd;
}

/** Fills the new file; returns `undefined` if it cannot get the old one's attributes. */
async function fill(
  fd: number,
  { target, temporary }: FileLock,
  bytes: Uint8Array,
  old: BigIntStats | undefined,
): Promise<string[] | undefined> {
  try {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(fd, bytes, at, Math.min(pieceBytes, bytes.length - at));
      if (at < bytes.length) await new Promise(setImmediate);
    }
    const lost = old ? takeOver(fd, { target, temporary }, old) : [];
    if (lost) await sync(fd, bytes.length);
    return lost;
  } finally {
    closeSync(fd);
  }
}

/** Flushes to disk. Only a large file uses another thread, which takes a millisecond to start. */
async function sync(fd: number, lengthBytes: number): Promise<void> {
  if (lengthBytes < pieceBytes) return fsyncSync(fd);
  await new Promise<void>((done, fail) => fsync(fd, (error) => (error ? fail(error) : done())));
}

/** Copies the old file's attributes, after writing, which can clear some; `undefined` if that fails. */
function takeOver(
  fd: number,
  { target, temporary }: Pick<FileLock, "target" | "temporary">,
  old: BigIntStats,
): string[] | undefined {
  const { uid, gid } = fstatSync(fd);
  const lost = old.nlink > 1n ? [`It had ${old.nlink} names (hard links); the others keep the old content.`] : [];
  const mode = Number(old.mode & 0o7777n);
  const isOwned = tryToOwn(fd, { uid, gid }, { uid: Number(old.uid), gid: Number(old.gid) });
  // The old owner's and group's rights must not pass to others.
  const groupKept = isOwned || tryToOwn(fd, { uid, gid }, { uid, gid: Number(old.gid) });
  // A list is copied with the whole mode, for a moment: not to another group, and not with setuid bits for a new owner.
  const mayShare = isOwned || (groupKept && (mode & 0o6000) === 0);
  // With an access control list, the group bits are its mask; set before the list is copied, they would grant rights.
  if (!isMacOs && !copyAttributes(target, temporary, { mayShare })) return undefined;
  if (isOwned) fchmodSync(fd, mode);
  else fchmodSync(fd, groupKept ? mode & 0o1777 : (mode & 0o1707) | ((mode & 0o7) << 3));
  return isOwned ? lost : [...lost, "It belonged to another user and is now yours."];
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

/** @throws WriteConflict if the file has changed since `before`. */
function checkUnchanged(target: string, before: BigIntStats): void {
  const now = statSync(target, { bigint: true, throwIfNoEntry: false });
  const keys = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;
  if (now && keys.every((key) => now[key] === before[key])) return;
  throw new WriteConflict("Another program changed it at the same time. Read it again.");
}

/**
 * Overwrites a file's content, which keeps everything else: owner, links, access control list and extended attributes.
 *
 * @returns a warning for the model.
 * @throws the system's error; the file may then be partly written.
 */
function writeInPlace(target: string, bytes: Uint8Array): string[] {
  const fd = openSync(target, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeAll(fd, bytes);
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return [
    "Its access control list and extended attributes could not be copied, so it was written in place: a crash would have left it partly written.",
  ];
}

/** In the name of everything ikigai means to remove again. Nothing without it is ever offered for removal. */
const mark = "ikigai-tmp";
const marked = /(?:^|\.)ikigai-tmp\.(\d+)\./;

/** Returns a name for the unfinished content of a file, in the same directory. */
export function temporaryName(path: string): string {
  return `${path}.${mark}.${process.pid}.${performance.now()}`;
}

/** Returns a path in the system's temporary directory. @param pid the process that removes it; the default is this one. */
export function temporaryPath(name: string, pid = process.pid): string {
  return join(tmpdir(), `${mark}.${pid}.${name}`);
}

/** Returns the process that made a temporary name; `undefined` for every other name. */
export function temporaryOwner(name: string): number | undefined {
  const pid = marked.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Replaces a file that only the user can access: readers see the old content or the new, never a part.
 *
 * Creates the directory if needed. Concurrent writers do not interfere; the last one wins. The content is flushed to disk.
 *
 * @throws the system's error (ENOSPC, EACCES, …); the old content is then intact.
 */
export function writePrivateFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const temporary = temporaryName(path);
  const fd = openSync(temporary, "wx", privateFileMode);
  try {
    writeWhole(fd, Buffer.from(text));
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  try {
    writeAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
