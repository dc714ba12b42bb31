import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";

/** How many links Linux follows before it gives up. */
const maxLinks = 40;

/**
 * Where a path leads in the end: to the file that opening it would open, or make if a link leads to nothing. Only the last
 * part is followed, and `..` is left to the system, which sees it after the links before it.
 *
 * @throws the system's error (EACCES, …) when a link cannot be read.
 */
export function followLinks(path: string): string {
  let target = path;
  for (let links = 0; links < maxLinks && isLink(target); links++) {
    const next = readlinkSync(target);
    target = isAbsolute(next) ? next : `${dirname(target)}/${next}`;
  }
  return target;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
