import { lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { readLink } from "@ikigai/system";

/** Linux's limit. */
const maxLinks = 40;

/**
 * Follows the links in the last part of a path: returns the file that opening it would open, or create if the link is broken.
 * `..` in a link's target is left to the system, which resolves it after the links before it.
 *
 * @throws the system's error (EACCES, …) if a link cannot be read; EILSEQ for a target that is not UTF-8.
 */
export function followLinks(path: string): string {
  let target = path;
  for (let links = 0; links < maxLinks && isLink(target); links++) {
    const next = readLink(target);
    target = isAbsolute(next) ? next : `${dirname(target)}/${next}`;
  }
  return target;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
