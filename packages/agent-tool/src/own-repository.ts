import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { hasOwnCommonDir, readEntries, worktreeOf } from "@ikigai/system";

/**
 * Returns why a repository's files may be those of another one, which the agent would then get a copy of; `undefined` if all are its own.
 *
 * @param top the root of its working tree
 */
export function foreignProblem(top: string): string | undefined {
  try {
    const gitDir = commonDirectory(join(top, ".git"));
    if (gitDir === undefined) return "its .git leads to another repository";
    if (existsSync(join(gitDir, "objects/info/alternates"))) return "it borrows objects of another repository";
    return hasLinks(join(gitDir, "objects")) ? "its objects have symbolic links" : undefined;
  } catch (error) {
    return `its .git cannot be read: ${(error as Error).message}`;
  }
}

/** The directory with the objects: `.git` itself, or for a worktree, that of the repository which has this worktree. */
function commonDirectory(dotGit: string): string | undefined {
  const stats = lstatSync(dotGit);
  if (stats.isDirectory()) return hasOwnCommonDir(dotGit) ? dotGit : undefined;
  return stats.isFile() ? worktreeOf(dotGit)?.commonDir : undefined;
}

function hasLinks(directory: string): boolean {
  if (!lstatSync(directory).isDirectory()) return true;
  return readEntries(directory).some(
    (entry) => entry.isSymbolicLink() || (entry.isDirectory() && hasLinks(join(directory, entry.name))),
  );
}
