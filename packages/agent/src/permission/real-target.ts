import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

/** How many links are followed: as many as Linux does. */
const maxLinks = 40;

/** How long a path may be that is followed, in UTF-16 code units: no system opens one with more bytes. */
export const maxPathLength = 4_096;

/**
 * Where a path leads, links resolved, whether there is something or not: what a tool that runs in `cwd` and opens it would
 * touch. Walks like the system does, so that `link/..` is the parent of the link's target. `undefined` when it leads
 * nowhere: a circle of links, a character no path holds, a directory that cannot be looked into, too long a path.
 */
export function realTarget(path: string, cwd: string): string | undefined {
  if (path.includes("\0") || path.length > maxPathLength) return undefined;
  try {
    let links = 0;
    let current = isAbsolute(path) ? sep : realpathSync.native(cwd);
    // The last step comes first, so that taking the next one moves none of the others.
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
      if (++links > maxLinks) return undefined;
      const target = readlinkSync(next);
      if (isAbsolute(target)) current = sep;
      rest.push(...target.split(sep).reverse());
    }
    return current;
  } catch {
    return undefined;
  }
}
