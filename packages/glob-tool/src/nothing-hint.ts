// Why a search found nothing: a missing directory, a hidden name, a slash, an ignored file, or the nearest path.

import { ignoresIn } from "@ikigai/git-files/ignore";
import { glob } from "@ikigai/posix/glob";
import {
  describeBelow,
  describeHidden,
  describeMissing,
  describeNearest,
  quotePath,
  type SearchGaps,
} from "@ikigai/tool-files";

/** A search that found nothing. */
export interface Search {
  readonly pattern: string;
  readonly path: string;
  /** Whether a model reads the answer. */
  readonly isShared: boolean;
}

/**
 * If nothing was found: the directory is missing, the dot of hidden files must be written, a pattern without a slash matches only directly
 * in it, or the name is a little different or elsewhere.
 */
export function nothingHint({ pattern, path, isShared }: Search, gaps: SearchGaps): string[] {
  const missing = describeMissing(path);
  if (missing !== undefined) return [missing, describeNearest(path) ?? ""].filter(Boolean);
  const hidden = gaps.isStopped ? undefined : describeHidden(pattern, path, { onDirectory: gaps.onDirectory });
  if (hidden !== undefined) return [`${hidden}.`];
  const near = isShared && !gaps.isStopped ? nearHint(pattern, path, gaps) : undefined;
  if (near !== undefined) return [near];
  if (pattern === "" || pattern.includes("/")) return [];
  const below = describeBelow(path);
  return below ? [`searched ${quotePath(path)}; ${below}: pattern '**/${pattern}' does`] : [];
}

/** How many paths are named, and how many are looked at. */
const maxNamed = 3;
const maxLooked = 200_000;

/**
 * Says where something like the pattern is if nothing matches it: a path that differs only in case, the same name elsewhere, or in what git
 * ignores. `undefined` if there is nothing like it.
 */
function nearHint(pattern: string, base: string, { onDirectory }: SearchGaps): string | undefined {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1);
  if (name === "" || /^[*?.]*$/.test(name)) return undefined;
  const options = { onDirectory, ...(base !== "" && { base }) };
  const anywhere = foldedName(name);
  const wanted = foldedName(pattern);
  const start = base === "" || base.endsWith("/") ? base.length : base.length + 1;
  const sameCase: string[] = [];
  const elsewhere: string[] = [];
  let looked = 0;
  // One walk: case differs in directories, too.
  for (const found of glob(`**/${anywhere}`, { ...options, ignores: ignoresIn })) {
    if (++looked > maxLooked || (sameCase.length >= maxNamed && elsewhere.length >= maxNamed)) break;
    const path = String(found);
    const isSame = !wanted.includes("**") && wanted.split("/").length === path.slice(start).split("/").length;
    (isSame && matchesFolded(pattern, path.slice(start)) ? sameCase : elsewhere).push(path);
  }
  if (sameCase.length > 0) return `only the case differs: ${named(sameCase)}.`;
  if (elsewhere.length > 0) return `not there, but elsewhere: ${named(elsewhere)}.`;
  const ignored: string[] = [];
  for (const found of glob(`**/${name}`, options)) {
    if (ignored.push(String(found)) >= maxNamed || ++looked > maxLooked) break;
  }
  return ignored.length > 0 ? `in what git ignores: ${named(ignored)}.` : undefined;
}

function named(paths: readonly string[]): string {
  return paths.slice(0, maxNamed).join(", ");
}

/** A pattern in which each letter matches in both cases, outside of brackets and braces. */
function foldedName(pattern: string): string {
  if (/[[\]\\]/.test(pattern)) return pattern;
  return pattern.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** Whether a path without wildcards is the pattern but for case. */
function matchesFolded(pattern: string, path: string): boolean {
  return pattern.toLowerCase() === path.toLowerCase();
}
