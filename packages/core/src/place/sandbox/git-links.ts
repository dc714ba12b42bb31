import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "@ikigai/system";

/** The mode of an entry that stands for a repository (a submodule). */
const linkMode = 0o160_000;

const knownVersions = [2, 3, 4];

/** By the directory of a repository. */
const last = new Map<string, { readonly key: string; readonly paths: readonly string[] }>();

/**
 * The directories of a working tree in which git takes other repositories to be, relative to its root: the submodules of its
 * index. git runs what those are configured to run.
 *
 * @throws Error, a sentence for people, when the index is not understood.
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

/** An index may leave most of itself to another file. */
function indexesIn(gitDir: string): string[] {
  const names = readdirSync(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  // git may take one away while we look.
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
    if ((bytes.readUInt32BE(at + 24) & 0o170_000) === linkMode) paths.push(name.toString());
    // Entries are padded to a multiple of 8, with one zero at least; in version 4 they are not.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return paths;
}

/** A number in git's variable width, as pack files have it too. */
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

function unknown(file: string): Error {
  return new Error(`${file} is in a format that ikigai does not know, so the submodules cannot be protected`);
}
