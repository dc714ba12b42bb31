import { codesOf } from "./byte-string.ts";
import { fitsLiterals, fitsSteps, parseWildcards, toLiterals } from "./wildcard.ts";

/**
 * Returns a function that tests whole texts against a pattern, like
 * `fnmatch(3)` without flags: `*` matches slashes and leading dots.
 *
 * Takes time at most proportional to the length of the pattern times that of the text. Never throws.
 */
export function matcher(pattern: string): (text: string) => boolean {
  const wildcards = parseWildcards(codesOf(pattern));
  if (wildcards === undefined) return () => false;
  const literals = toLiterals(wildcards);
  return literals ? (text) => fitsLiterals(literals, text) : (text) => fitsSteps(wildcards, codesOf(text));
}
