import { anyCharacter, type CharacterSet, digits } from "./character-set.ts";
import type { Assertion } from "./syntax-tree.ts";

/** The operators of extended regular expressions. */
export type Operator =
  | "open-group"
  | "close-group"
  | "open-bracket"
  | "open-interval"
  | "close-interval"
  | "star"
  | "plus"
  | "question"
  | "alternation"
  | "trailing-backslash"
  | "end";

/** `character` is the pattern's character without its meaning: an interval such as `{1\,2}` needs it. */
export type Token = { readonly character: number; readonly end: number } & (
  | { readonly kind: Operator | "character" }
  | { readonly kind: "assertion"; readonly anyOf: readonly Assertion[] }
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "back-reference"; readonly index: number }
);

const operators: Readonly<Record<string, Operator>> = {
  "(": "open-group",
  ")": "close-group",
  "[": "open-bracket",
  "{": "open-interval",
  "}": "close-interval",
  "*": "star",
  "+": "plus",
  "?": "question",
  "|": "alternation",
};

const assertions: Readonly<Record<string, readonly Assertion[]>> = {
  "^": ["line-start"],
  $: ["line-end"],
  "\\`": ["line-start"],
  "\\'": ["line-end"],
  "\\<": ["word-start"],
  "\\>": ["word-end"],
  "\\b": ["word-start", "word-end"],
  "\\B": ["inside-word", "outside-word"],
};

const word = { ranges: [[0x5f, 0x5f]], classes: ["alnum"] } as const;
const space = { ranges: [], classes: ["space"] } as const;

/** In glibc `\d` and `\D` match a letter; here they match digits, as everyone who writes them expects. */
const sets: Readonly<Record<string, CharacterSet>> = {
  ".": anyCharacter,
  "\\w": { ...word, negated: false },
  "\\W": { ...word, negated: true },
  "\\s": { ...space, negated: false },
  "\\S": { ...space, negated: true },
  "\\d": digits,
  "\\D": { ...digits, negated: true },
};

/** Returns the token at `start`, outside a bracket expression; `end` is the offset of the next one. */
export function tokenAt(pattern: readonly number[], start: number): Token {
  const first = pattern[start];
  if (first === undefined) return { kind: "end", character: 0, end: start };
  if (first !== 0x5c) return meaningOf(String.fromCodePoint(first), first, start + 1);
  const escaped = pattern[start + 1];
  if (escaped === undefined) return { kind: "trailing-backslash", character: first, end: start + 1 };
  if (escaped >= 0x31 && escaped <= 0x39) {
    return { kind: "back-reference", index: escaped - 0x30, character: 0, end: start + 2 };
  }
  return meaningOf(`\\${String.fromCodePoint(escaped)}`, escaped, start + 2);
}

function meaningOf(text: string, character: number, end: number): Token {
  const operator = operators[text];
  if (operator !== undefined) return { kind: operator, character, end };
  const anyOf = assertions[text];
  if (anyOf !== undefined) return { kind: "assertion", anyOf, character: 0, end };
  const set = sets[text];
  if (set !== undefined) return { kind: "set", set, character, end };
  return { kind: "character", character, end };
}
