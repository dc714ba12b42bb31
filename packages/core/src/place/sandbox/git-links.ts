import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isExact, readNames, readRegularFile } from "@ikigai/system";

/** The mode of an index entry for a submodule (gitlink). */
const linkMode = 0o160_000;

const knownVersions = [2, 3, 4];

/** The last result, by repository directory. */
const last = new Map<string, { readonly key: string; readonly paths: readonly string[] }>();

/**
 * Returns the submodules in a repository's index, as paths relative
 * to the working tree. git runs what their configuration says.
 *
 * @throws Error, a sentence for people, if the index format is unknown, or a path is not UTF-8.
 */
export function gitLinks(gitDir: string, hashBytes: number): readonly string[] {
  const files = indexesIn(gitDir);
  const key = files.map(identity).join();
  const known = last.get(gitDir);
  if (known?.key === key) return known.paths;
  const paths = files.flatMap((file) => linksIn(file, hashBytes));
  last.set(gitDir, { key, paths });
  return paths;
}

/** The index files: an index may be split over several. */
function indexesIn(gitDir: string): string[] {
  const names = readNames(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  // git may remove one meanwhile.
  return names.map((name) => join(gitDir, name)).filter((path) => existsSync(path));
}

function identity(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return `${path}:${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function linksIn(file: string, hashBytes: number): string[] {
  const bytes = readRegularFile(file);
  if (bytes.length === 0) return [];
  const version = bytes.length < 12 ? 0 : bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || !knownVersions.includes(version)) throw unknown(file);
  const paths: string[] = [];
  let at = 12;
  let name = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + 40 + hashBytes;
    if (flagsAt + 4 > bytes.length) throw unknown(file);
    const isExtended = version >= 3 && (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let shared = 0;
    if (version === 4) ({ value: shared, end: nameAt } = readOffset(bytes, nameAt));
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) throw unknown(file);
    const prefix = version === 4 ? name.subarray(0, name.length - shared) : Buffer.alloc(0);
    name = Buffer.concat([prefix, bytes.subarray(nameAt, end)]);
    if ((bytes.readUInt32BE(at + 24) & 0o170_000) === linkMode) paths.push(exactPath(name, file));
    // Entries are padded with 1 to 8 zeros to a multiple of 8; version 4 has a single zero.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return paths;
}

/** A number in git's variable-width encoding, as in pack files. */
function readOffset(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = bytes.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end: at };
}

function exactPath(name: Buffer, file: string): string {
  const path = name.toString();
  if (isExact(path)) return path;
  throw new Error(`${file} names a submodule that is not UTF-8, which cannot be protected: ${path}`);
}

function unknown(file: string): Error {
  return new Error(`${file} has an unknown format, so the submodules cannot be protected`);
}
