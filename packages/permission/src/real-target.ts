import { lstatSync, statfsSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { readLink, readRealPath } from "@ikigai/system";

/** How many symlinks are followed: as many as on Linux. */
const maxLinks = 40;

/** Longest path that is followed, in UTF-16 code units: no system opens one with more bytes. */
export const maxPathLength = 4_096;

/** The type of procfs in statfs(2), whose symlinks lead elsewhere in each process: `/proc/self/cwd`, `/dev/stdin`. */
const procfs = 0x9fa0;

/**
 * Returns where a path leads with symlinks resolved, whether or not it exists: what a tool in `cwd` would open. Resolves
 * like the system, so `link/..` is the parent of the link's target. `undefined` if it leads nowhere: a symlink loop, an
 * invalid character, a name that is not UTF-8, a directory that cannot be searched, a path that is too long; and if another process
 * would open something else.
 *
 * @param followed gets each symlink on the way: its real place
 */
export function realTarget(path: string, cwd: string, followed?: (link: string) => void): string | undefined {
  if (path.includes("\0") || path.length > maxPathLength) return undefined;
  try {
    let links = 0;
    let current = isAbsolute(path) ? sep : readRealPath(cwd);
    // Reversed, so that taking the next segment moves none of the others.
    const rest = path.split(sep).reverse();
    for (let segment = rest.pop(); segment !== undefined; segment = rest.pop()) {
      if (segment === "" || segment === ".") continue;
      if (segment === "..") {
        current = dirname(current);
        continue;
      }
      const next = join(current, segment);
      if (!lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) {
        current = next;
        continue;
      }
      if (++links > maxLinks || statfsSync(current).type === procfs) return undefined;
      const target = readLink(next);
      followed?.(next);
      if (isAbsolute(target)) current = sep;
      rest.push(...target.split(sep).reverse());
    }
    return current;
  } catch {
    return undefined;
  }
}
