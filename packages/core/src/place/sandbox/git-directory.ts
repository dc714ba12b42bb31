import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@ikigai/system";

/** Whether git takes a directory for a repository, whatever it is called: one with a `HEAD`, `objects` and `refs`. */
export function isGitDirectory(directory: string): boolean {
  const common = commonDirOf(directory);
  return isHead(join(directory, "HEAD")) && ["objects", "refs"].every((name) => isThere(join(common, name)));
}

/** Whether a file is what git wants as a repository's `HEAD`. */
export function isHead(path: string): boolean {
  if (isLink(path)) return readlinkSync(path).startsWith("refs/");
  return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(path));
}

/** The directory that worktrees share; the same directory when there are none. */
export function commonDirOf(directory: string): string {
  const said = textOf(join(directory, "commondir")).trim();
  return said === "" ? directory : resolve(directory, said);
}

/** Where a `.git` that is a file says that the repository is. */
export function gitDirNamedBy(file: string): string | undefined {
  const [, path] = /^gitdir: (.*?)[\r\n]*$/.exec(textOf(file)) ?? [];
  return path === undefined ? undefined : resolve(dirname(file), path);
}

/** The length of the names of objects in a repository with this configuration, in bytes. */
export function hashBytesOf(config: string): number {
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 32 : 20;
}

export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** What a file holds; nothing when it cannot be read. */
export function textOf(path: string): string {
  try {
    return readRegularFile(path).toString();
  } catch {
    return "";
  }
}
