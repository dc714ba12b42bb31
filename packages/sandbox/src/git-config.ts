// What git's own files say: which directory is a repository, where its parts are, what its configuration sets, which places it names,
// and, by their indexes, which repositories git enters on its own from a project. git is never run for it.

import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type IndexEntries,
  indexEntries,
  isExact,
  isInside,
  isLink,
  isThere,
  readGitLink,
  readGitPath,
  readLink,
  readNames,
  readRegularFile,
  resolveGitPath,
} from "@ikigai/system";
import { decisivePartOf } from "./decisive-files.ts";

/** Whether git treats a directory as a repository, whatever its name: it has a `HEAD`, `objects` and `refs`. */
export function isGitDirectory(directory: string): boolean {
  const common = commonDirOf(directory);
  return isHead(join(directory, "HEAD")) && ["objects", "refs"].every((name) => isThere(join(common, name)));
}

/** Whether git finds a repository here or above. */
export function isInRepository(directory: string): boolean {
  const dotGit = join(directory, ".git");
  const stats = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isFile() || (stats && isThere(join(dotGit, "HEAD")))) return true;
  return directory !== dirname(directory) && isInRepository(dirname(directory));
}

/** Whether a file is a valid `HEAD`. */
export function isHead(path: string): boolean {
  if (isLink(path)) return readLink(path).startsWith("refs/");
  return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(path));
}

/**
 * The directory that worktrees share; `directory` itself if there are no worktrees.
 *
 * @throws Error, a sentence for people, if git may read another path.
 */
export function commonDirOf(directory: string): string {
  const named = pathNamedIn(join(directory, "commondir"));
  return named === "" ? directory : resolveGitPath(directory, named);
}

/**
 * The repository that a `.git` file points to.
 *
 * @throws Error, a sentence for people, if git may read another path.
 */
export function gitDirNamedBy(file: string): string | undefined {
  const named = readGitLink(file, textOf(file));
  return named === undefined ? undefined : resolveGitPath(dirname(file), named);
}

/** The length of object names in a repository with this configuration, in bytes. */
export function hashBytesOf(config: string): number {
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 32 : 20;
}

/** A file's text; empty if it cannot be read. */
export function textOf(path: string): string {
  try {
    return readRegularFile(path).toString();
  } catch {
    return "";
  }
}

/**
 * The path that a file names for git; empty if the file cannot be read.
 *
 * @throws Error, a sentence for people, if git may read another path.
 */
export function pathNamedIn(file: string): string {
  return readGitPath(file, textOf(file));
}

/** A setting in a git configuration file. */
interface GitSetting {
  /** Section and key, without the subsection, in lower case: `include.path`. */
  readonly name: string;
  readonly value: string;
}

/** The escapes in values. */
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/**
 * Parses a git configuration file: sections, comments, quotes, values over several lines. Skips lines that git would reject.
 */
export function readGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let section = "";
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + maxHeadLength);
    const blank = /^\s+|^[#;][^\n]*/.exec(rest)?.[0];
    const head = blank === undefined ? /^\[\s*([\w.-]+)(?:\s+"(?:\\.|[^"\\\n])*")?\s*\]/.exec(rest) : null;
    const key = blank === undefined && head === null ? /^([A-Za-z][\w-]*)[ \t]*(=?)/.exec(rest) : null;
    if (blank !== undefined) at += blank.length;
    else if (head !== null) {
      section = (head[1] ?? "").toLowerCase().replace(/\..*/s, "");
      at += head[0].length;
    } else if (key !== null) {
      const read = key[2] === "=" ? readValue(source, at + key[0].length) : { value: "", end: at + key[0].length };
      settings.push({ name: `${section}.${(key[1] ?? "").toLowerCase()}`, value: read.value });
      at = read.end;
    } else {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    }
  }
  return settings;
}

/** Longer than any section header or key, in characters. */
const maxHeadLength = 4_096;

/** @param start the offset after the equals sign. */
function readValue(source: string, start: number): { value: string; end: number } {
  let value = "";
  // The length that must not be trimmed: up to the last quoted or non-space character.
  let keptLength = 0;
  let isQuoted = false;
  let at = start;
  for (; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\n") break;
    if (!isQuoted && (character === "#" || character === ";")) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
      break;
    }
    if (character === "\\") {
      at++;
      if (source.charAt(at) === "\n") continue;
      value += escapes[source.charAt(at)] ?? source.charAt(at);
      keptLength = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      keptLength = value.length;
    } else if (isQuoted || !/\s/.test(character)) {
      value += character;
      keptLength = value.length;
    } else if (value !== "") value += character;
  }
  return { value: value.slice(0, keptLength), end: at };
}

/** A path named in git's configuration through which git runs or configures more. It need not exist. */
export interface NamedPlace {
  readonly path: string;
  readonly kind: "hooks" | "configuration";
}

/** Settings that name a place. */
const naming = new Set(["core.hookspath", "include.path", "includeif.path"]);

/** git's own limit for nested includes. */
const maxDepth = 10;

/**
 * Returns the hook directories and further configuration files that these configuration files name. Conditional includes count
 * as met: the next branch or remote may meet them.
 *
 * @throws Error, a sentence for people, if a path is not UTF-8.
 */
export function gitNamedPlaces(files: readonly string[], projectDir: string, userHome: string): NamedPlace[] {
  const places = new Map<string, NamedPlace>();
  const seen = new Set<string>();
  const read = (file: string, depth: number): void => {
    if (seen.has(file) || depth > maxDepth) return;
    seen.add(file);
    for (const { name, value } of readGitConfig(textOf(file))) {
      const path = value.replace(/^~(?=\/|$)/, () => userHome);
      if (path === "" || path.startsWith("~") || path.startsWith("%(prefix)")) continue;
      if (naming.has(name) && !isExact(path)) {
        throw new Error(`${file} names a path in ${name} that is not UTF-8, which cannot be protected`);
      }
      if (name === "core.hookspath") {
        const hooks = resolve(projectDir, path);
        places.set(hooks, { path: hooks, kind: "hooks" });
      } else if (name === "include.path" || name === "includeif.path") {
        const included = resolve(dirname(file), path);
        places.set(included, { path: included, kind: "configuration" });
        read(included, depth + 1);
      }
    }
  };
  for (const file of files) read(file, 0);
  return [...places.values()];
}

/** The configuration files of the system and the user. */
export function gitConfigFiles(userHome: string, env: NodeJS.ProcessEnv): string[] {
  const own = env.XDG_CONFIG_HOME || join(userHome, ".config");
  return [
    env.GIT_CONFIG_SYSTEM || "/etc/gitconfig",
    join(own, "git/config"),
    env.GIT_CONFIG_GLOBAL || join(userHome, ".gitconfig"),
  ];
}

/** A working tree and its repository that git uses when the user runs it in or around the project. */
export interface Repository {
  /** The root of its working tree. */
  readonly top: string;
  /** The repository; `undefined` for a project or submodule without one. */
  readonly gitDir: string | undefined;
  /** The tracked files and directories in it that determine what runs. */
  readonly decisive: readonly string[];
}

/**
 * Returns the project's repository, the repositories around it, and all their submodules within `roots`: git enters them on its
 * own, at any depth.
 *
 * @param roots the directories a tool may change, without links.
 * @throws Error, a sentence for people, if an index format is unknown.
 */
export function gitRepositories(projectDir: string, roots: readonly string[]): Repository[] {
  const found = new Map<string, Repository>();
  const visit = (top: string): void => {
    if (found.has(top)) return;
    const gitDir = gitDirOf(join(top, ".git"));
    const hashBytes = gitDir === undefined ? 0 : hashBytesOf(textOf(join(commonDirOf(gitDir), "config")));
    const tracked = gitDir === undefined ? [] : trackedDecisiveFiles(gitDir, hashBytes);
    found.set(top, { top, gitDir, decisive: tracked.map((path) => join(top, path)) });
    if (gitDir === undefined) return;
    const links = gitLinks(gitDir, hashBytes);
    for (const path of links.map((link) => join(top, link))) {
      if (roots.some((root) => isInside(path, root))) visit(path);
    }
  };
  visit(projectDir);
  for (let place = projectDir; ; place = dirname(place)) {
    if (gitDirOf(join(place, ".git")) !== undefined) visit(place);
    if (place === dirname(place)) return [...found.values()];
  }
}

/** The repository for a `.git`, which is a directory or a file that points to one. */
function gitDirOf(dotGit: string): string | undefined {
  const gitDir = isFile(dotGit) ? gitDirNamedBy(dotGit) : dotGit;
  return gitDir !== undefined && isGitDirectory(gitDir) ? gitDir : undefined;
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

/** What an index says, as paths relative to the working tree. */
interface Indexed {
  /** The submodules. */
  readonly links: readonly string[];
  /** The files and directories that determine what runs, as far as they are tracked and their names begin with a dot. */
  readonly decisive: readonly string[];
}

/** The last result, by repository directory. */
const last = new Map<string, Indexed & { readonly key: string }>();

/**
 * Returns the submodules in a repository's index, as paths relative
 * to the working tree. git runs what their configuration says.
 *
 * @throws Error, a sentence for people, if the index format is unknown, or a path is not UTF-8.
 */
export function gitLinks(gitDir: string, hashBytes: number): readonly string[] {
  return indexed(gitDir, hashBytes).links;
}

/** Returns the tracked files and directories that determine what runs. @throws as `gitLinks` does. */
function trackedDecisiveFiles(gitDir: string, hashBytes: number): readonly string[] {
  return indexed(gitDir, hashBytes).decisive;
}

/** Read again only if it has changed. */
function indexed(gitDir: string, hashBytes: number): Indexed {
  const files = indexesIn(gitDir);
  const key = files.map(identity).join();
  const known = last.get(gitDir);
  if (known?.key === key) return known;
  const found = files.map((file) => readIndex(file, hashBytes));
  const decisive = found.flatMap(({ dotted }) => dotted.flatMap((path) => decisivePartOf(path) ?? []));
  const read = { key, links: found.flatMap(({ repositories }) => repositories), decisive: [...new Set(decisive)] };
  last.set(gitDir, read);
  return read;
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

function readIndex(file: string, hashBytes: number): Pick<IndexEntries, "repositories" | "dotted"> {
  const bytes = readRegularFile(file);
  if (bytes.length === 0) return { repositories: [], dotted: [] };
  const entries = indexEntries(bytes, hashBytes);
  if (entries === undefined) throw new Error(`${file} has an unknown format, so the submodules cannot be protected`);
  const inexact = entries.repositories.find((path) => !isExact(path));
  if (inexact === undefined) return entries;
  throw new Error(`${file} names a submodule that is not UTF-8, which cannot be protected: ${inexact}`);
}

/** Returns the directories of hooks and the configuration files that git's configuration names for a project. Never throws. */
export function gitPlacesNamed(project: string, userHome: string, env: NodeJS.ProcessEnv): string[] {
  const dotGit = join(project, ".git");
  try {
    const gitDir = lstatSync(dotGit, { throwIfNoEntry: false })?.isDirectory() ? dotGit : gitDirNamedBy(dotGit);
    const own = gitDir === undefined ? [] : [join(commonDirOf(gitDir), "config"), join(gitDir, "config.worktree")];
    return gitNamedPlaces([...own, ...gitConfigFiles(userHome, env)], project, userHome).map(({ path }) => path);
  } catch {
    // A name that is not UTF-8: no call can name it.
    return [];
  }
}
