import { existsSync, lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isExact, readRealPath } from "../files/exact-names.ts";
import { readRegularFile } from "../files/read-regular-file.ts";

/** What git uses in a worktree: real paths. */
export interface Worktree {
  /** The worktree's own directory, inside the repository's. */
  readonly gitDir: string;
  /** The repository's, with its objects and its configuration. */
  readonly commonDir: string;
}

/**
 * Reads the file `.git` of a worktree. Returns `undefined` for that of anything else, such as a submodule, and if the repository does
 * not point back to this worktree: then it is another one's.
 *
 * @throws the system's error if a file cannot be read; Error, a sentence for people, if it names a path that is not UTF-8.
 */
export function worktreeOf(dotGit: string): Worktree | undefined {
  const [, path] = /^gitdir: (.+?)\n?$/.exec(textOf(dotGit)) ?? [];
  if (path === undefined) return undefined;
  const gitDir = readRealPath(resolve(dirname(dotGit), path));
  if (!existsSync(join(gitDir, "commondir"))) return undefined;
  const commonDir = readRealPath(resolve(gitDir, textOf(join(gitDir, "commondir")).trim()));
  const back = resolve(gitDir, textOf(join(gitDir, "gitdir")).trim());
  const isMutual = readRealPath(back) === readRealPath(dotGit) && dirname(dirname(gitDir)) === commonDir;
  return isMutual ? { gitDir, commonDir } : undefined;
}

/** Whether a repository's `commondir` leads to no other directory. While a tool runs in the sandbox, ikigai has one with "." there. */
export function hasOwnCommonDir(gitDir: string): boolean {
  const file = join(gitDir, "commondir");
  try {
    // Git fails at a broken link, so that one counts as a file.
    return lstatSync(file, { throwIfNoEntry: false }) === undefined || textOf(file).replace(/[\r\n]+$/, "") === ".";
  } catch {
    // What cannot be read may lead anywhere.
    return false;
  }
}

/** The text of a file that names a path: if it is not UTF-8, git would go elsewhere. */
function textOf(file: string): string {
  const text = readRegularFile(file).toString("utf8");
  if (isExact(text)) return text;
  throw new Error(`${file} names a path that is not UTF-8`);
}
