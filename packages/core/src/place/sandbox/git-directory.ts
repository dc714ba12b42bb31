import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isExact, readLink, readRegularFile } from "@ikigai/system";

/** Whether git treats a directory as a repository, whatever its name: it has a `HEAD`, `objects` and `refs`. */
export function isGitDirectory(directory: string): boolean {
  const common = commonDirOf(directory);
  return isHead(join(directory, "HEAD")) && ["objects", "refs"].every((name) => isThere(join(common, name)));
}

/** Whether a file is a valid `HEAD`. */
export function isHead(path: string): boolean {
  if (isLink(path)) return readLink(path).startsWith("refs/");
  return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(path));
}

/**
 * The directory that worktrees share; `directory` itself if there are no worktrees.
 *
 * @throws Error, a sentence for people, if its path is not UTF-8.
 */
export function commonDirOf(directory: string): string {
  const said = namedIn(join(directory, "commondir")).trim();
  return said === "" ? directory : resolve(directory, said);
}

/**
 * The repository that a `.git` file points to.
 *
 * @throws Error, a sentence for people, if its path is not UTF-8.
 */
export function gitDirNamedBy(file: string): string | undefined {
  const [, path] = /^gitdir: (.*?)[\r\n]*$/.exec(namedIn(file)) ?? [];
  return path === undefined ? undefined : resolve(dirname(file), path);
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
 * The text of a file that names a path for git; empty if it cannot be read.
 *
 * @throws Error, a sentence for people, if the path is not UTF-8.
 */
export function namedIn(file: string): string {
  const text = textOf(file);
  if (isExact(text)) return text;
  throw new Error(`${file} names a path that is not UTF-8, which cannot be protected`);
}
