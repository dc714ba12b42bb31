import { type CharacterClass, isInClass } from "@ikigai/posix-classes";
import { foldsIntoAscii, upperCase } from "./case-folding.ts";

/** What one position of a pattern matches: a literal character, `.`, `\w`, or a bracket expression. */
export interface CharacterSet {
  /** Inclusive pairs of code points, in any order. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly classes: readonly CharacterClass[];
  readonly negated: boolean;
}

/** The set of one character. */
export function single(codePoint: number): CharacterSet {
  return { ranges: [[codePoint, codePoint]], classes: [], negated: false };
}

/** `.`: everything but NUL, which C strings cannot contain. */
export const anyCharacter: CharacterSet = { ranges: [[0, 0]], classes: [], negated: true };

/** `[0-9]`. */
export const digits: CharacterSet = { ranges: [[0x30, 0x39]], classes: [], negated: false };

/** Whether a set contains a character. With `ignoreCase` the set's letters must be upper case, as the parser ensures. */
export function contains(set: CharacterSet, codePoint: number, ignoreCase: boolean): boolean {
  const wanted = ignoreCase ? upperCase(codePoint) : codePoint;
  const listed =
    set.ranges.some(([first, last]) => wanted >= first && wanted <= last) ||
    set.classes.some((name) => isInClass(name, wanted));
  return listed !== set.negated;
}

/** Whether the set may contain characters outside ASCII. */
export function reachesBeyondAscii(set: CharacterSet, ignoreCase: boolean): boolean {
  if (set.negated || set.ranges.some(([, last]) => last > 0x7f)) return true;
  if (set.classes.some((name) => name !== "digit" && name !== "xdigit")) return true;
  return ignoreCase && foldsIntoAscii.some((codePoint) => contains(set, codePoint, true));
}

/** Returns the characters in a set; `undefined` if there are more than `limit`. */
export function members({ ranges, classes, negated }: CharacterSet, limit: number): number[] | undefined {
  if (negated || classes.length > 0) return undefined;
  const found = new Set<number>();
  for (const [first, last] of ranges) {
    if (last - first >= limit) return undefined;
    for (let codePoint = first; codePoint <= last; codePoint++) found.add(codePoint);
  }
  return found.size <= limit ? [...found] : undefined;
}

/** A key that is equal for identically written sets. */
export function keyOf({ ranges, classes, negated }: CharacterSet): string {
  return `${negated}:${ranges.join(";")}:${classes.join(";")}`;
}
