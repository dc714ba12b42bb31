import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** Where a path leads, and by what. */
export interface Walk {
  /** Without links, whether there is something or not. */
  readonly target: string;
  /** The first part of `target` that is not there; `undefined` when all of it is. */
  readonly missing: string | undefined;
  /** The links on the way: where each of them lies. */
  readonly links: readonly string[];
}

/** How many links are followed: as many as Linux does. */
const maxLinks = 40;

/**
 * Follows a path like the system does.
 *
 * @throws Error, a sentence for people, when it goes in a circle; the system's error when it cannot be followed.
 */
export function walkLinks(path: string): Walk {
  const links: string[] = [];
  let current: string = sep;
  let missing: string | undefined;
  let rest = resolve(path).split(sep);
  while (rest.length > 0) {
    const [segment = "", ...others] = rest;
    rest = others;
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, segment);
    const stats = missing === undefined ? lstatSync(next, { throwIfNoEntry: false }) : undefined;
    if (stats?.isSymbolicLink()) {
      links.push(next);
      if (links.length > maxLinks) throw new Error(`${path} leads through more than ${maxLinks} links`);
      const target = readlinkSync(next);
      if (target.startsWith(sep)) current = sep;
      rest = [...target.split(sep), ...rest];
      continue;
    }
    if (stats === undefined) missing ??= next;
    current = next;
  }
  return { target: current, missing, links };
}
