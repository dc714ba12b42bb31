import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@ikigai/system";

/** Whether git treats a directory as a repository, whatever its name: it has a `HEAD`, `objects` and `refs`. */
export function isGitDirectory(directory: string): boolean {
  const common = commonDirOf(directory);
  return isHead(join(directory, "HEAD")) && ["objects", "refs"].every((name) => isThere(join(common, name)));
}

/** Whether a file is a valid `HEAD`. */
export function isHead(path: string): boolean {
  if (isLink(path)) return readlinkSync(path).startsWith("refs/");
  return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(path));
}

/** The directory that worktrees share; `directory` itself if there are no worktrees. */
export function commonDirOf(directory: string): string {
  const said = textOf(join(directory, "commondir")).trim();
  return said === "" ? directory : resolve(directory, said);
}

/** The repository that a `.git` file points to. */
export function gitDirNamedBy(file: string): string | undefined {
  const [, path] = /^gitdir: (.*?)[\r\n]*$/.exec(textOf(file)) ?? [];
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
