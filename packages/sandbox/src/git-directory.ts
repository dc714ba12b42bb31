import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { readGitLink, readGitPath, readLink, readRegularFile, resolveGitPath } from "@ikigai/system";

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
