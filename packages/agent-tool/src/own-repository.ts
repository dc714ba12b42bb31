import { type Dirent, existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { hasOwnCommonDir, readEntries, readRealPath, readWorktree } from "@ikigai/system";

/**
 * What a repository has that git does not write to for a worktree: links there, to shared hooks for instance, lead no write elsewhere.
 */
const notWritten: ReadonlySet<string> = new Set(["hooks", "info", "lfs", "annex", "modules", "description"]);

/**
 * Returns why a repository's files may be those of another one, which the agent would then get a copy of, or lead git elsewhere when it
 * writes; `undefined` if all are its own.
 *
 * @param top the root of its working tree
 * @param used the directory of the repository that git uses there
 */
export function ownershipProblem(top: string, used: string): string | undefined {
  try {
    const gitDir = commonDirectory(join(top, ".git"));
    if (gitDir === undefined || readRealPath(gitDir) !== readRealPath(used))
      return "its .git leads to another repository";
    if (existsSync(join(gitDir, "objects/info/alternates"))) return "it borrows objects of another repository";
    const link = readEntries(gitDir)
      .filter(({ name }) => !notWritten.has(name))
      .map((entry) => linkIn(gitDir, entry.name, entry))
      .find((found) => found !== undefined);
    return link === undefined ? undefined : `its .git has the symbolic link ${JSON.stringify(link)}`;
  } catch (error) {
    return `its .git cannot be read: ${(error as Error).message}`;
  }
}

/** The directory with the objects: `.git` itself, or for a worktree, that of the repository which has this worktree. */
function commonDirectory(dotGit: string): string | undefined {
  const stats = lstatSync(dotGit);
  if (stats.isDirectory()) return hasOwnCommonDir(dotGit) ? dotGit : undefined;
  return stats.isFile() ? readWorktree(dotGit)?.commonDir : undefined;
}

/** Returns the first symbolic link at or below a path in a directory. */
function linkIn(
  directory: string,
  path: string,
  entry: Pick<Dirent, "isSymbolicLink" | "isDirectory">,
): string | undefined {
  if (entry.isSymbolicLink()) return path;
  if (!entry.isDirectory()) return undefined;
  for (const inner of readEntries(join(directory, path))) {
    const found = linkIn(directory, `${path}/${inner.name}`, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
