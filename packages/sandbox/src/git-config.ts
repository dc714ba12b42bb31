import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isExact, readGitLink, readGitPath, readLink, readRegularFile, resolveGitPath } from "@ikigai/system";

/*
 * What git's own files say: which directory is a repository, where its parts are, what its configuration sets, and which places it names.
 */

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

/** Whether something exists at a path, even a broken link. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Whether a path is a symbolic link. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
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
