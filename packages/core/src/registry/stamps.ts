// Stamps tell whether a file is still the same. In order: the stamp of a file, a link or the names in a directory, the first that
// has changed, and the hash of a content, cached by its stamp.

import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, lstatSync, readSync, statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openRegularFile, readNames } from "@ikigai/system";

/**
 * Paths with the state of the file at each: equal stamps mean the same file with the same content, or for a directory whose names are
 * stamped, the same names in it.
 */
export type Stamps = ReadonlyMap<string, string>;

const namesPrefix = "names:";

/** The names in a directory as a stamp: a file that comes or goes changes it, and one that changes does not. */
export function stampOfNames(names: readonly string[]): string {
  return namesPrefix + [...names].sort().join("/");
}

function namesAt(directory: string): string {
  try {
    return stampOfNames(readNames(directory));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** The state of a file: device, inode, mode, size, mtime and ctime (nanoseconds). */
export function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${mode}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** The state of a link to a file: its own, and its target's. */
export function stampOfLink(own: BigIntStats, target: string): string {
  return `${stampOf(own)}>${target}`;
}

/** The state of the file at a path now; for a link, its own and its target's. `"missing"` or an error code if there is no file. */
export function stampAt(path: string): string {
  try {
    const own = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (own === undefined) return "missing";
    if (!own.isSymbolicLink()) return stampOf(own);
    const target = statSync(path, { bigint: true, throwIfNoEntry: false });
    // For a link to a directory only the target's inode counts, not its contents.
    return stampOfLink(own, !target || target.isDirectory() ? `${target?.ino ?? "missing"}` : stampOf(target));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

/** Returns the first path whose file has changed, or the names in it. Costs one system call per path. */
export function firstChange(stamps: Stamps): string | undefined {
  for (const [path, stamp] of stamps) {
    const now = stamp.startsWith(namesPrefix) ? namesAt(path) : stampAt(path);
    if (now !== stamp) return path;
  }
  return undefined;
}

/** Bytes per read, and bytes hashed before the event loop gets a turn. */
const chunkBytes = 65_536;
const bytesPerTurn = 4_194_304;

/** Hash and size of a regular file. */
interface HashedFile {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Hashes a regular file; returns `undefined` for anything else. Never blocks on a FIFO or a device.
 *
 * @param maxBytes reads at most about this much; if the file has more, `bytes` exceeds it.
 * @throws the system's error if the file cannot be read.
 */
export async function hashFile(path: string, maxBytes: number): Promise<HashedFile | undefined> {
  const fd = openRegularFile(path);
  if (fd === undefined) return undefined;
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    for (let got = readSync(fd, chunk); got > 0 && bytes <= maxBytes; got = readSync(fd, chunk)) {
      hash.update(chunk.subarray(0, got));
      bytes += got;
      if (bytes % bytesPerTurn < got) await nextTurn();
    }
    return { sha256: hash.digest("hex"), bytes };
  } finally {
    closeSync(fd);
  }
}

/** Largest file that is hashed, in bytes. */
const maxBytes = 1_073_741_824;

const known = new Map<string, { readonly stamp: string; readonly sha256: Promise<string | undefined> }>();

/**
 * Returns the SHA-256 of a tool's current file, in hexadecimal; `undefined` if it cannot be read or is larger than 1 GiB. The
 * hash is cached until the file changes: asking again costs a `stat`.
 */
export function hashTool(path: string): Promise<string | undefined> {
  const stamp = stampAt(path);
  const last = known.get(path);
  if (last?.stamp === stamp) return last.sha256;
  const sha256 = hash(path);
  known.set(path, { stamp, sha256 });
  return sha256;
}

async function hash(path: string): Promise<string | undefined> {
  try {
    const file = await hashFile(path, maxBytes);
    return file && file.bytes <= maxBytes ? file.sha256 : undefined;
  } catch {
    // An executable need not be readable.
    return undefined;
  }
}
