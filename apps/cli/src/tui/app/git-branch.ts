import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@ikigai/system";

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
    if (statSync(path).isDirectory()) return path;
    const [, target] = /^gitdir: (.+)$/m.exec(readRegularFile(path).toString()) ?? [];
    return target && resolve(dirname(path), target);
  } catch {
    return undefined;
  }
}

function headOf(gitDir: string): string | undefined {
  try {
    const head = readRegularFile(join(gitDir, "HEAD")).toString().trim();
    const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
    return branch ?? head.slice(0, 8);
  } catch {
    return undefined;
  }
}
