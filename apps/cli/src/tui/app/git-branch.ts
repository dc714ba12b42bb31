import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@ikigai/system";

/** The checked-out branch, or a short hash if HEAD is detached. Reads git's files, does not run git. */
export function gitBranch(from: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const gitDir = gitDirectory(join(dir, ".git"));
    if (gitDir !== undefined) return headOf(gitDir);
    if (dirname(dir) === dir) return undefined;
  }
}

/** In a worktree or a submodule, `.git` is a file that names the directory. */
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
