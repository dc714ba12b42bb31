// Paths: what is inside what, names and links read as bytes allow, links followed step by step, the user's home, paths as people
// and models spell them, and what is at a path.

import {
  accessSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns whether a real path is a real directory or inside it. `/proj-evil` is not inside `/proj`. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}

/** Returns the path without links; if it does not exist, the absolute path. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolved(path);
  }
}

function resolved(path: string): string {
  try {
    return resolve(path);
  } catch {
    // A relative path, and the working directory was deleted.
    return path;
  }
}

/**
 * Whether a text from the file system names what it was read from. Bytes that are not UTF-8 become U+FFFD, and the text then names
 * another file, or none.
 */
export function isExact(text: string): boolean {
  return !text.includes("\ufffd");
}

/**
 * The names in a directory.
 *
 * @throws the system's error; EILSEQ if a name is not UTF-8, or contains U+FFFD.
 */
export function readNames(directory: string): string[] {
  return readdirSync(directory).map((name) => exact(name, directory));
}

/** Like `readNames`, with the kind of each file. */
export function readEntries(directory: string): Dirent[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const { name } of entries) exact(name, directory);
  return entries;
}

/**
 * The target of a symbolic link.
 *
 * @throws the system's error; EILSEQ if the target is not UTF-8, or contains U+FFFD.
 */
export function readLink(path: string): string {
  return exact(readlinkSync(path), path);
}

/**
 * The path without symbolic links.
 *
 * @throws the system's error; EILSEQ if the path is not UTF-8, or contains U+FFFD.
 */
export function readRealPath(path: string): string {
  return exact(realpathSync.native(path), path);
}

function exact(text: string, path: string): string {
  if (isExact(text)) return text;
  throw Object.assign(new Error(`${path} has a name that is not UTF-8: ${text}`), { code: "EILSEQ", path });
}

/** Where a path leads, and through which links. */
export interface Walk {
  /** The path without links, whether it exists or not. */
  readonly target: string;
  /** The first part of `target` that does not exist; `undefined` if it exists. */
  readonly missing: string | undefined;
  /** The links on the way, by their own paths. */
  readonly links: readonly string[];
}

/** Linux's limit. */
const maxLinks = 40;

/**
 * Resolves a path as the system does, including one that does not exist.
 *
 * @throws Error, a sentence for people, for a link cycle; the system's error if a part cannot be read; EILSEQ for a link whose target is not UTF-8.
 */
export function walkLinks(path: string): Walk {
  const links: string[] = [];
  let current: string = sep;
  let missing: string | undefined;
  let rest = resolve(path).split(sep);
  while (rest.length > 0) {
    const [segment = "", ...others] = rest;
    rest = others;
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, segment);
    const stats = missing === undefined ? lstatSync(next, { throwIfNoEntry: false }) : undefined;
    if (stats?.isSymbolicLink()) {
      links.push(next);
      if (links.length > maxLinks) throw new Error(`${path} goes through more than ${maxLinks} symbolic links`);
      const target = readLink(next);
      if (target.startsWith(sep)) current = sep;
      rest = [...target.split(sep), ...rest];
      continue;
    }
    if (stats === undefined) missing ??= next;
    current = next;
  }
  return { target: current, missing, links };
}

/**
 * Returns the user's home directory: HOME, else what the system knows, else the root. `undefined` if HOME is empty or relative:
 * the working directory would decide what it means, and with it a project. Never throws.
 */
export function userHome({ HOME }: NodeJS.ProcessEnv = process.env): string | undefined {
  if (HOME !== undefined) return isAbsolute(HOME) ? HOME : undefined;
  try {
    // An account may have an empty home, too.
    return userInfo().homedir || "/";
  } catch {
    return "/";
  }
}

/** A path as a user wrote it, with a leading `~/` replaced by the home directory, as in a shell. */
export function fromUserHome(path: string, env?: NodeJS.ProcessEnv): string {
  const home = path.startsWith("~/") ? userHome(env) : undefined;
  return home === undefined ? path : join(home, path.slice(2));
}

/**
 * A path as a model wrote it: `~`, `~/x` and `file:///x` become absolute paths, everything else stays. A URL that names no local file
 * stays, too. Never throws.
 */
export function pathAsMeant(path: string, env?: NodeJS.ProcessEnv): string {
  if (path === "~") return userHome(env) ?? path;
  if (!path.startsWith("file:///")) return fromUserHome(path, env);
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

/**
 * The file that a path means although it names none: the only one in its directory whose name is equal after Unicode compatibility
 * normalization (NFKC), with white space as one space. macOS puts U+202F into the names of screenshots, and accents after their letters.
 * The path itself if it exists, or if there is no such file. Never throws.
 */
export function pathAsSpelled(path: string): string {
  try {
    if (path.endsWith(sep) || lstatSync(path, { throwIfNoEntry: false })) return path;
    const wanted = foldSpelling(basename(path));
    const found = readdirSync(dirname(path)).filter((name) => foldSpelling(name) === wanted);
    return found.length === 1 ? `${path.slice(0, path.length - basename(path).length)}${found[0]}` : path;
  } catch {
    return path;
  }
}

function foldSpelling(name: string): string {
  return name.normalize("NFKC").replace(/\s+/gu, " ").trim();
}

/** The state of a file; `undefined` if it does not exist or cannot be reached. @param stat `lstatSync` to follow no link */
export function statsOf(
  path: string,
  stat: (path: string, options: { throwIfNoEntry: false }) => Stats | undefined = statSync,
): Stats | undefined {
  try {
    // An exception for each missing file would be slow.
    return stat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether something exists at a path, even a broken link. @throws the system's error if that cannot be determined. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a path is a symbolic link. @throws the system's error if that cannot be determined. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Whether a path leads to a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    // Most files that are asked about do not exist, and an error costs five times as much as the answer.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
