// What a pattern distinguishes: UTF-8 as code points, upper case, sets of characters, and what is next to a position.
import { type CharacterClass, isInClass } from "../classes.ts";

/** The result of `decode` for a byte that does not start a character. */
export const invalid = 0xff_ffff;

/**
 * Decodes the character at `at`; the bits from 24 up hold its length in bytes.
 *
 * A byte that does not start a character by RFC 3629 (including overlong forms, surrogates and truncated characters) is
 * `invalid`, with length 1. Returns a number, not an object, since this runs for every character outside ASCII.
 */
export function decode(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return (1 << 24) | first;
  const second = at + 1 < end ? (bytes[at + 1] as number) ^ 0x80 : 0xff;
  if (first < 0xc2 || second > 0x3f) return (1 << 24) | invalid;
  if (first < 0xe0) return (2 << 24) | ((first & 0x1f) << 6) | second;
  const third = at + 2 < end ? (bytes[at + 2] as number) ^ 0x80 : 0xff;
  if (third > 0x3f) return (1 << 24) | invalid;
  if (first < 0xf0) {
    const codePoint = ((first & 0x0f) << 12) | (second << 6) | third;
    const isCharacter = codePoint >= 0x800 && (codePoint < 0xd800 || codePoint > 0xdfff);
    return isCharacter ? (3 << 24) | codePoint : (1 << 24) | invalid;
  }
  const fourth = at + 3 < end ? (bytes[at + 3] as number) ^ 0x80 : 0xff;
  if (first > 0xf4 || fourth > 0x3f) return (1 << 24) | invalid;
  const codePoint = ((first & 0x07) << 18) | (second << 12) | (third << 6) | fourth;
  return codePoint >= 0x1_0000 && codePoint <= 0x10_ffff ? (4 << 24) | codePoint : (1 << 24) | invalid;
}

/**
 * Returns the upper-case form of a character as C's `towupper` does: one character for one.
 *
 * Case-insensitive matching compares these forms of pattern and text, as glibc does. A letter whose upper case has several
 * characters (`ß`) is unchanged.
 */
export function upperCase(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x61 && codePoint <= 0x7a ? codePoint - 0x20 : codePoint;
  const text = String.fromCodePoint(codePoint).toUpperCase();
  const upper = text.codePointAt(0) as number;
  return text.length === (upper > 0xffff ? 2 : 1) ? upper : codePoint;
}

/** The non-ASCII characters whose upper case is an ASCII letter: dotless i and long s. */
export const foldsIntoAscii: readonly number[] = [0x131, 0x17f];

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

/** What is next to a position: the edge of the line, a word character, or another character. */
export type Context = typeof edge | typeof wordCharacter | typeof otherCharacter;

export const edge = 0;
export const wordCharacter = 1;
export const otherCharacter = 2;

/** A condition between two characters. The two word edges together are `\b`, the two insides `\B`. */
export type Assertion = "line-start" | "line-end" | "word-start" | "word-end" | "inside-word" | "outside-word";

/** Whether an assertion holds between two neighbours. */
export function holds(assertion: Assertion, before: Context, after: Context): boolean {
  return allows(assertion, before) && holdsBefore(assertion, after);
}

/** Whether an assertion may hold, given only what precedes it. */
export function allows(assertion: Assertion, before: Context): boolean {
  switch (assertion) {
    case "line-start":
      return before === edge;
    case "line-end":
      return true;
    case "word-end":
    case "inside-word":
      return before === wordCharacter;
    case "word-start":
    case "outside-word":
      return before !== wordCharacter;
    default:
      return assertion satisfies never;
  }
}

function holdsBefore(assertion: Assertion, after: Context): boolean {
  switch (assertion) {
    case "line-start":
      return true;
    case "line-end":
      return after === edge;
    case "word-start":
    case "inside-word":
      return after === wordCharacter;
    case "word-end":
    case "outside-word":
      return after !== wordCharacter;
    default:
      return assertion satisfies never;
  }
}

/** Whether an assertion depends on what follows it. */
export function looksAhead(assertion: Assertion): boolean {
  return assertion !== "line-start";
}
