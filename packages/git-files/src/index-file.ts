// The list of tracked files, `.git/index`, read without git: versions 2 to 4, with SHA-1 or SHA-256, split (the shared part is read, too)
// and sparse (a directory in it stands for all below). Names are bytes. What cannot be read has no tracked files.
import type { Stats } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "@ikigai/system";
import type { Repository } from "./repository.ts";

/** The tracked files of a repository. */
export interface TrackedFiles {
  /** Whether a file is tracked, or a directory is a submodule. */
  has(path: string): boolean;
  /** Whether a tracked file is in a directory, or below it. */
  hasBelow(directory: string): boolean;
}

/** Reads the index of a repository. Never throws. */
export function readTrackedFiles(repository: Repository): TrackedFiles {
  const names: string[] = [];
  try {
    const hashBytes = /objectformat\s*=\s*sha256/i.test(
      readRegularFile(join(repository.commonDir, "config")).toString(),
    )
      ? 32
      : 20;
    readEntries(
      readRegularFile(join(repository.gitDir, "index")),
      hashBytes,
      (name) => names.push(name),
      (shared) => readRegularFile(join(repository.gitDir, `sharedindex.${shared}`)),
    );
  } catch {
    // Missing, being replaced, or of a later version.
  }
  // Those of a shared index come after the others.
  const sorted = isSorted(names) ? names : names.sort();
  const sparse = sorted.filter((name) => name.endsWith("/"));
  const isInSparse = (path: string) => sparse.some((directory) => path.startsWith(directory));
  return {
    has: (path) => sorted[lowerBound(sorted, path)] === path || isInSparse(path),
    hasBelow(directory) {
      const prefix = `${directory}/`;
      return sorted[lowerBound(sorted, prefix)]?.startsWith(prefix) === true || isInSparse(prefix);
    },
  };
}

function isSorted(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) if ((names[index - 1] ?? "") > (names[index] ?? "")) return false;
  return true;
}

/** The index of the first name that is not before `wanted`. */
function lowerBound(names: readonly string[], wanted: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] ?? "") < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares a file with its entry as git does, with all of the times: whether it has not changed since git read it. */
export type IsEntry = (stats: Stats) => boolean;

/** The entries of a whole index with SHA-1, by name. @throws Error if it cannot be read. */
export function readStatEntries(index: Buffer): Map<string, IsEntry> {
  const entries = new Map<string, IsEntry>();
  const timeMs = (at: number) => index.readUInt32BE(at) * 1_000 + index.readUInt32BE(at + 4) / 1_000_000;
  readEntries(index, 20, (name, at) => {
    const isEntry: IsEntry = ({ ctimeMs, mtimeMs, ino, size }) =>
      ctimeMs === timeMs(at) &&
      mtimeMs === timeMs(at + 8) &&
      ino % 2 ** 32 === index.readUInt32BE(at + 20) &&
      size % 2 ** 32 === index.readUInt32BE(at + 36);
    entries.set(name, isEntry);
  });
  return entries;
}

const headerBytes = 12;

/** What is before an entry's hash, in bytes: times, device, inode, mode, owner, size. */
const statBytes = 40;

/**
 * Reads the entries of an index.
 *
 * @param found gets a name and where its entry begins.
 * @param readShared reads the other part of a split one.
 * @throws RangeError if it ends early; Error if it is not an index.
 */
function readEntries(
  index: Buffer,
  hashBytes: number,
  found: (name: string, at: number) => void,
  readShared?: (hash: string) => Buffer,
): void {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) throw new Error("This is no index.");
  let at = headerBytes;
  let last = "";
  for (let left = count; left > 0; left--) {
    const flags = index.readUInt16BE(at + statBytes + hashBytes);
    let nameAt = at + statBytes + hashBytes + (flags & 0x4000 ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const dropped = readOffset(index, nameAt);
      kept = last.length - dropped.value;
      nameAt = dropped.end;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0) throw new RangeError("The index ends early.");
    last = last.slice(0, kept) + index.toString("latin1", nameAt, end);
    // In a split index, an entry without a name changes one of the shared index.
    if (last !== "") found(last, at);
    // Entries are padded to a multiple of 8 bytes, with at least one NUL.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  for (; at + 8 <= index.length - hashBytes; at += 8 + index.readUInt32BE(at + 4))
    if (readShared && index.toString("latin1", at, at + 4) === "link")
      readEntries(readShared(index.toString("hex", at + 8, at + 8 + hashBytes)), hashBytes, found, readShared);
}

/** A number in the form of pack files: seven bits a byte, the most significant first. */
function readOffset(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}
