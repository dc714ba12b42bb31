import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../files/is-inside.ts";

/**
 * The git repository that a directory is in, else the directory: the rest of the repository comes from the same people. A
 * repository that holds the user's home is the user's own.
 *
 * @param directory an absolute path without links
 * @param home the user's home, without links
 */
export function repositoryAround(directory: string, home: string | undefined): string {
  for (let place = directory; ; place = dirname(place)) {
    if (home !== undefined && isInside(home, place)) return directory;
    if (hasGit(place)) return place;
    if (place === dirname(place)) return directory;
  }
}

/** Never throws: what cannot be searched is no repository that git could use. */
function hasGit(directory: string): boolean {
  try {
    return lstatSync(join(directory, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
