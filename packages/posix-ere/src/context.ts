import type { Assertion } from "./syntax-tree.ts";

/** What is next to a position: the edge of the line, a word character, or another character. */
export type Context = typeof edge | typeof wordCharacter | typeof otherCharacter;

export const edge = 0;
export const wordCharacter = 1;
export const otherCharacter = 2;

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
