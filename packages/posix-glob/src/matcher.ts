import { codesOf } from "./byte-string.ts";
import { fitsLiterals, fitsSteps, parseWildcards, toLiterals } from "./wildcard.ts";

/**
 * A test of whole texts against one pattern, as `fnmatch(3)` without flags: `*` takes slashes and leading dots too.
 *
 * The time is at most proportional to the length of the pattern times that of the text.
 */
export function matcher(pattern: string): (text: string) => boolean {
  const wildcards = parseWildcards(codesOf(pattern));
  if (wildcards === undefined) return () => false;
  const literals = toLiterals(wildcards);
  return literals ? (text) => fitsLiterals(literals, text) : (text) => fitsSteps(wildcards, codesOf(text));
}
