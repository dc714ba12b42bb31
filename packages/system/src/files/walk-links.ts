import { lstatSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { readLink } from "./exact-names.ts";

/** Where a path leads, and through which links. */
export interface Walk {
  /** The path without links, whether it exists or not. */
  readonly target: string;
  /** The first part of `target` that does not exist; `undefined` if it exists. */
  readonly missing: string | undefined;
  /** The links on the way, by their own paths. */
  readonly links: readonly string[];
}

/** Linux's limit. */
const maxLinks = 40;

/**
 * Resolves a path as the system does, including one that does not exist.
 *
 * @throws Error, a sentence for people, for a link cycle; the system's error if a part cannot be read; EILSEQ for a link whose target is not UTF-8.
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
      if (links.length > maxLinks) throw new Error(`${path} goes through more than ${maxLinks} symbolic links`);
      const target = readLink(next);
      if (target.startsWith(sep)) current = sep;
      rest = [...target.split(sep), ...rest];
      continue;
    }
    if (stats === undefined) missing ??= next;
    current = next;
  }
  return { target: current, missing, links };
}
