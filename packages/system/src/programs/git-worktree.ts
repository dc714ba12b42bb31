import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRealPath } from "../files/exact-names.ts";
import { readGitLink, readGitPath, resolveGitPath } from "./git-paths.ts";

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
