// Git's own files, read without git: the names in an index, the paths that its files name, worktrees, and the repository around a
// directory.

import { existsSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { withoutEnd } from "../text/words.ts";
import { isExact, isInside, readRealPath } from "./paths.ts";
import { readRegularFile } from "./read-files.ts";

/** Times, device, mode, owner and size at the start of an entry; the hash, the flags and the name follow. In bytes. */
const statBytes = 40;
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
  /** The files whose name, or that of a directory on the way, begins with a dot. */
  readonly dotted: readonly string[];
  /** False for a split or a sparse index, one that tells git where entries are, and one with a name that is not UTF-8. */
  readonly isComplete: boolean;
}

/**
 * Reads the names in a repository's index as git does. `undefined` if that is not possible: an unknown format, or a name whose
 * length is not the one that git takes from the entry's flags.
 * Format: git's `gitformat-index`.
 *
 * @param hashBytes the length of the repository's object names
 */
export function indexEntries(index: Buffer, hashBytes = 20): IndexEntries | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const repositories: string[] = [];
  const directories = new Set<string>();
  const dotted: string[] = [];
  let isSparse = false;
  let at = 12;
  let previous = "";
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statBytes + hashBytes;
    if (flagsAt + 2 > index.length) return undefined;
    const type = index.readUInt32BE(at + 24) & typeMask;
    const flags = index.readUInt16BE(flagsAt);
    const nameAt = flagsAt + ((flags & 0x4000) !== 0 ? 4 : 2);
    const name = version === 4 ? readShared(index, nameAt, previous) : readPlain(index, nameAt);
    // With another length git would read other entries.
    if (name === undefined || (flags & lengthMask) !== Math.min(name.text.length, lengthMask)) return undefined;
    previous = name.text;
    isSparse ||= type === treeMode;
    if (type === gitlinkMode) repositories.push(name.text);
    const slash = name.text.lastIndexOf("/");
    if (name.text.startsWith(".") || name.text.includes("/.")) dotted.push(name.text);
    if (slash > 0) directories.add(name.text.slice(0, slash));
    // Entries of older versions are padded to a multiple of eight bytes with at least one NUL.
    at = version === 4 ? name.end : at + ((name.end - 1 - at + 8) & ~7);
  }
  const names = { repositories: repositories.map(decoded), directories: new Set([...directories].map(decoded)) };
  const isExactly = [...names.repositories, ...names.directories].every(isExact);
  return {
    ...names,
    dotted: dotted.map(decoded),
    isComplete: isExactly && !isSparse && !hasOtherEntries(index, at, hashBytes),
  };
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
function hasOtherEntries(index: Buffer, start: number, hashBytes: number): boolean {
  for (let at = start; at + 8 <= index.length - hashBytes; at += 8 + index.readUInt32BE(at + 4)) {
    if (/^(?:link|IEOT|EOIE)$/.test(index.toString("latin1", at, at + 4))) return true;
  }
  return false;
}

/**
 * Reads a path that a file of git names, `commondir` for instance, as git does: up to the last line break.
 *
 * @param text what is in the file
 * @throws the system's error; Error, a sentence for people, if git would read another path: one that is not UTF-8, or contains NUL.
 */
export function readGitPath(file: string, text = readRegularFile(file).toString("utf8")): string {
  if (!isExact(text)) throw new Error(`${file} names a path that is not UTF-8`);
  if (text.includes("\0")) throw new Error(`${file} names a path with a NUL`);
  return withoutEnd(text, "\r\n");
}

/** Reads the path in a file `.git`; `undefined` if the file names none. @throws as `readGitPath` does. */
export function readGitLink(file: string, text?: string): string | undefined {
  const line = readGitPath(file, text);
  return line.startsWith("gitdir: ") ? line.slice("gitdir: ".length) : undefined;
}

/**
 * The path that a file of git names, relative to a directory.
 *
 * @throws Error, a sentence for people, if `..` in it comes after a symbolic link: git would go on from the link's target.
 */
export function resolveGitPath(directory: string, named: string): string {
  const path = resolve(directory, named);
  const parts = isAbsolute(named) ? named : `${directory}/${named}`;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(named) && realPath(parts) !== realPath(path))
    throw new Error(`${parts} leads through a symbolic link`);
  return path;
}

function realPath(path: string): string | undefined {
  try {
    return readRealPath(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** What git uses in a worktree: real paths. */
export interface WorktreeDirectories {
  /** The worktree's own directory, inside the repository's. */
  readonly gitDir: string;
  /** The repository's, with its objects and its configuration. */
  readonly commonDir: string;
}

/**
 * Reads the file `.git` of a worktree. Returns `undefined` for that of anything else, such as a submodule, and if the repository does
 * not point back to this worktree: then it is another one's.
 *
 * @throws the system's error if a file cannot be read; Error, a sentence for people, if git may read another path from it.
 */
export function readWorktree(dotGit: string): WorktreeDirectories | undefined {
  const path = readGitLink(dotGit);
  if (path === undefined) return undefined;
  const gitDir = readRealPath(resolveGitPath(dirname(dotGit), path));
  if (!existsSync(join(gitDir, "commondir"))) return undefined;
  const commonDir = readRealPath(resolveGitPath(gitDir, readGitPath(join(gitDir, "commondir"))));
  const back = resolveGitPath(gitDir, readGitPath(join(gitDir, "gitdir")));
  const isMutual = readRealPath(back) === readRealPath(dotGit) && dirname(dirname(gitDir)) === commonDir;
  return isMutual ? { gitDir, commonDir } : undefined;
}

/** Whether a repository's `commondir` leads to no other directory. While a tool runs in the sandbox, ikigai has one with "." there. */
export function hasOwnCommonDir(gitDir: string): boolean {
  const file = join(gitDir, "commondir");
  try {
    // Git fails at a broken link, so that one counts as a file.
    return lstatSync(file, { throwIfNoEntry: false }) === undefined || readGitPath(file) === ".";
  } catch {
    // What cannot be read may lead anywhere.
    return false;
  }
}

/**
 * The git repository that a directory is in, else the directory: the rest of the repository comes from the same people. A
 * repository that holds the user's home is the user's own.
 *
 * @param directory an absolute path without links
 * @param home the user's home, without links
 */
export function repositoryAround(directory: string, home: string | undefined): string {
  for (let place = directory; ; place = dirname(place)) {
    if (home !== undefined && isInside(home, place)) return directory;
    if (hasGit(place)) return place;
    if (place === dirname(place)) return directory;
  }
}

/** Never throws: what cannot be searched is no repository that git could use. */
function hasGit(directory: string): boolean {
  try {
    return lstatSync(join(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
