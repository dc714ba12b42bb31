import { isExact } from "@ikigai/system";

/** Size of an entry before its name, with SHA-1: times, device, mode, owner, size, hash and flags. In bytes. */
const headBytes = 62;
const gitlinkMode = 0o160000;
const treeMode = 0o040000;

/** The bits of a mode that say what an entry is. */
const typeMask = 0o170000;

/** The bits of an entry's flags with the length of its name, which stay at the maximum for a longer one. */
const lengthMask = 0xfff;

/** The names in an index. */
export interface IndexEntries {
  /** The repositories inside the repository. */
  readonly repositories: readonly string[];
  /** The directories that contain files, except `.`. */
  readonly directories: ReadonlySet<string>;
}

/**
 * Reads the names in a repository's index. `undefined` if that is not possible: another format, a split index, a sparse one, a
 * name that is not UTF-8.
 * Format: git's `gitformat-index`.
 */
export function indexEntries(index: Buffer): IndexEntries | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const repositories: string[] = [];
  const directories = new Set<string>();
  let at = 12;
  let previous = "";
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + headBytes > index.length) return undefined;
    const mode = index.readUInt32BE(at + 24);
    if ((mode & typeMask) === treeMode) return undefined;
    const flags = index.readUInt16BE(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const nameAt = at + headBytes + (isExtended ? 2 : 0);
    const name = version === 4 ? readShared(index, nameAt, previous) : readPlain(index, nameAt);
    // Git takes the length from the flags: with another one it would read other entries.
    if (name === undefined || (flags & lengthMask) !== Math.min(name.text.length, lengthMask)) return undefined;
    previous = name.text;
    if ((mode & typeMask) === gitlinkMode) repositories.push(name.text);
    const slash = name.text.lastIndexOf("/");
    if (slash > 0) directories.add(name.text.slice(0, slash));
    // Entries of older versions are padded to a multiple of eight bytes with at least one NUL.
    at = version === 4 ? name.end : at + ((name.end - 1 - at + 8) & ~7);
  }
  if (hasOtherEntries(index, at)) return undefined;
  const names = { repositories: repositories.map(decoded), directories: new Set([...directories].map(decoded)) };
  return [...names.repositories, ...names.directories].every(isExact) ? names : undefined;
}

function decoded(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

interface Name {
  /** One character per byte. */
  readonly text: string;
  /** The offset after its NUL. */
  readonly end: number;
}

function readPlain(index: Buffer, at: number): Name | undefined {
  const end = index.indexOf(0, at);
  return end < 0 ? undefined : { text: index.toString("latin1", at, end), end: end + 1 };
}

/** Reads a name that drops a number of bytes from the end of the previous one. */
function readShared(index: Buffer, at: number, previous: string): Name | undefined {
  let dropped = 0;
  for (let isFirst = true; ; isFirst = false) {
    const byte = index[at++];
    if (byte === undefined || dropped > index.length) return undefined;
    dropped = isFirst ? byte & 0x7f : (dropped + 1) * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  const rest = readPlain(index, at);
  if (rest === undefined || dropped > previous.length) return undefined;
  return { text: previous.slice(0, previous.length - dropped) + rest.text, end: rest.end };
}

/** Whether an extension stores entries in another file, or tells git where entries are. */
function hasOtherEntries(index: Buffer, start: number): boolean {
  for (let at = start; at + 8 <= index.length - 20; at += 8 + index.readUInt32BE(at + 4)) {
    if (/^(?:link|IEOT|EOIE)$/.test(index.toString("latin1", at, at + 4))) return true;
  }
  return false;
}
