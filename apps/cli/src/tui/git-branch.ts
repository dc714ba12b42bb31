import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The branch that is checked out, read from git's own files: git is not run. A short hash where there is none. */
export function gitBranch(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const gitDir = gitDirectory(join(dir, ".git"));
    if (gitDir !== undefined) return headOf(gitDir);
    if (dirname(dir) === dir) return undefined;
  }
}

/** In a worktree or a submodule, `.git` is a file that tells the directory. */
function gitDirectory(path: string): string | undefined {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return path;
    // A FIFO would be waited for.
    if (!stats.isFile()) return undefined;
    const [, target] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
    return target && resolve(dirname(path), target);
  } catch {
    return undefined;
  }
}

function headOf(gitDir: string): string | undefined {
  try {
    const path = join(gitDir, "HEAD");
    if (!statSync(path).isFile()) return undefined;
    const head = readFileSync(path, "utf8").trim();
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    return branch ?? head.slice(0, 8);
  } catch {
    return undefined;
  }
}
