// Texts of which each matching line contains one: which they are, how they are found, and which of them is rare enough to search for.
import { foldsIntoAscii, members, upperCase } from "./characters.ts";
import type { Tree } from "./syntax-tree.ts";

/** Texts of which every matching line contains at least one. */
interface RequiredLiterals {
  /** Upper case with `ignoreCase`. */
  readonly texts: readonly string[];
  /** Whether every line that contains one matches. */
  readonly areWhole: boolean;
}

/** What is known about the strings a tree matches. */
interface Knowledge {
  /** All of them, if there are few. */
  readonly exact: readonly string[] | undefined;
  /** Sets of texts; each string contains a text of every set. Most selective first. */
  readonly required: readonly (readonly string[])[];
}

const nothing: Knowledge = { exact: undefined, required: [] };

/** How many sets are tried; which one is rarest only the searched data shows. */
const maxSets = 3;

/** How many texts are searched for at once: with more, too few bytes are skipped and the automaton is as fast. */
const maxTexts = 32;

/** Largest set that is expanded into literals; beyond it the literal without the set is more selective. */
const maxMembers = 4;

/** Maximum length of a literal such as that of `(ab){1000}`, in characters: longer ones gain nothing. */
const maxLength = 256;

/** Returns the texts to search for, most selective first. `tree` must have no groups. */
export function requiredLiterals(tree: Tree, ignoreCase: boolean): RequiredLiterals[] {
  const { exact, required } = inspect(tree, ignoreCase);
  const areWhole = exact !== undefined && !asserts(tree);
  // Lines contain no newline, so a search for one would find a false match.
  const usable = required.filter((texts) => texts.every((text) => text !== "" && !text.includes("\n")));
  return usable.map((texts) => ({ texts, areWhole }));
}

function inspect(tree: Tree, ignoreCase: boolean): Knowledge {
  switch (tree.kind) {
    case "empty":
    case "assertion":
      return known([""]);
    case "set": {
      const characters = members(tree.set, maxMembers);
      if (characters === undefined || (ignoreCase && characters.some(isFoldedInto))) return nothing;
      return known(characters.map((character) => String.fromCodePoint(character)));
    }
    case "sequence":
      return inspectSequence(tree.items, ignoreCase);
    case "repeat":
      return inspectRepeat(inspect(tree.item, ignoreCase), tree.min, tree.max);
    case "choice":
      return inspectChoice(tree.items.map((item) => inspect(item, ignoreCase)));
    case "group":
    case "back-reference":
      return nothing;
    default:
      return tree satisfies never;
  }
}

function known(texts: readonly string[]): Knowledge {
  return { exact: texts, required: [texts] };
}

function inspectRepeat({ exact, required }: Knowledge, min: number, max: number): Knowledge {
  if (min === 0) return exact && max === 1 ? known(unique([...exact, ""])) : nothing;
  const [text, ...others] = exact ?? [];
  if (text === undefined || others.length > 0) return { exact: undefined, required };
  const rounds = Math.min(min, Math.ceil(maxLength / Math.max(1, text.length)));
  const repeated = [text.repeat(rounds)];
  return max === rounds ? known(repeated) : { exact: undefined, required: [repeated] };
}

function inspectChoice(items: readonly Knowledge[]): Knowledge {
  const exact = unique(items.flatMap((item) => item.exact ?? []));
  if (items.every((item) => item.exact) && exact.length <= maxTexts) return known(exact);
  const required = unique(items.flatMap((item) => item.required[0] ?? []));
  const isKnown = items.every((item) => item.required.length > 0) && required.length <= maxTexts;
  return isKnown ? { exact: undefined, required: [required] } : nothing;
}

function inspectSequence(items: readonly Tree[], ignoreCase: boolean): Knowledge {
  let isExact = true;
  let current: readonly string[] = [""];
  const required: (readonly string[])[] = [];
  for (const item of items) {
    const inner = inspect(item, ignoreCase);
    if (inner.exact && inner.exact.length * current.length <= maxTexts) {
      current = inner.exact.flatMap((end) => current.map((start) => start + end));
      continue;
    }
    isExact = false;
    required.push(current);
    if (!inner.exact) required.push(...inner.required);
    current = inner.exact ?? [""];
  }
  if (isExact) return known(current);
  return { exact: undefined, required: promising([...required, current]) };
}

/** Sorts sets: a longer shortest text allows longer skips; with equal length fewer texts are better. */
function promising(sets: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return sets
    .filter((texts) => shortest(texts) > 0)
    .sort((a, b) => shortest(b) - shortest(a) || a.length - b.length)
    .slice(0, maxSets);
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function asserts(tree: Tree): boolean {
  if (tree.kind === "assertion") return true;
  if (tree.kind === "repeat") return asserts(tree.item);
  return (tree.kind === "sequence" || tree.kind === "choice") && tree.items.some(asserts);
}

/** Whether a character has, ignoring case, other spellings than an ASCII letter in both cases. */
function isFoldedInto(codePoint: number): boolean {
  return codePoint > 0x7f || foldsIntoAscii.some((other) => upperCase(other) === codePoint);
}

/** Finds the first occurrence of one of several texts between `from` and `to`; returns its offset, or -1. */
export type FindLiteral = (bytes: Buffer, from: number, to: number) => number;

/**
 * Returns a search for these texts; `undefined` if there is no fast one. With `ignoreCase`, letters of the texts are in upper case and
 * match ASCII letters in either case; other characters match only themselves.
 */
export type FindLiterals = (texts: readonly string[], ignoreCase: boolean) => FindLiteral | undefined;

/** With shorter texts a search skips too little: the automaton is as fast. */
const minBytes = 3;

const tableSize = 4_096;

/** Returns a search for these texts; `undefined` if the automaton is faster. With `ignoreCase`: ASCII in upper case. */
export function findLiterals(texts: readonly string[], ignoreCase: boolean): FindLiteral | undefined {
  const literals = texts.map((text) => Buffer.from(text));
  const [literal, ...others] = literals;
  if (literal && others.length === 0 && !(ignoreCase && hasLetter(literal))) {
    return (bytes, from) => bytes.indexOf(literal, from);
  }
  const shortest = Math.min(...literals.map(({ length }) => length));
  return shortest < minBytes ? undefined : findSeveral(literals, shortest, ignoreCase ? toUpper : identity);
}

/**
 * Wu and Manber, "A fast algorithm for multi-pattern searching" (1994): the last two bytes of a window as long as the shortest
 * text determine how far it can be shifted. If it cannot be, the texts are compared.
 */
function findSeveral(literals: readonly Buffer[], shortest: number, fold: Uint8Array): FindLiteral {
  let shifts: Uint8Array | undefined;
  return (bytes, from, to) => {
    shifts ??= shiftTable(literals, shortest, fold);
    for (let at = from + shortest - 1; at < to; ) {
      const first = fold[bytes[at - 1] as number] as number;
      const shift = shifts[(first << 4) ^ (fold[bytes[at] as number] as number)] as number;
      at += shift;
      if (shift > 0) continue;
      const start = at - shortest + 1;
      for (const literal of literals) if (standsAt(literal, bytes, start, to, fold)) return start;
      at++;
    }
    return -1;
  };
}

function shiftTable(literals: readonly Buffer[], shortest: number, fold: Uint8Array): Uint8Array {
  const shifts = new Uint8Array(tableSize).fill(Math.min(shortest - 1, 255));
  for (const literal of literals) {
    for (let end = 1; end < shortest; end++) {
      const first = fold[literal[end - 1] as number] as number;
      const slot = (first << 4) ^ (fold[literal[end] as number] as number);
      shifts[slot] = Math.min(shifts[slot] as number, shortest - 1 - end);
    }
  }
  return shifts;
}

function standsAt(literal: Buffer, bytes: Buffer, start: number, to: number, fold: Uint8Array): boolean {
  if (start + literal.length > to) return false;
  for (let index = 0; index < literal.length; index++) {
    if (fold[bytes[start + index] as number] !== literal[index]) return false;
  }
  return true;
}

function hasLetter(bytes: Buffer): boolean {
  return bytes.some((byte) => toUpper[byte] !== byte || (byte >= 0x41 && byte <= 0x5a));
}

const identity = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const toUpper = identity.map((byte) => (byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte));

/**
 * Minimum average distance between occurrences of a text, in bytes, at which searching for it is faster than running the
 * automaton over everything.
 */
const minGapBytes = 48;

/** At this distance, no other text could be noticeably better, in bytes. */
const goodGapBytes = 16_384;

/** Number of occurrences after which a text is judged. */
const sampleSize = 64;

/** Chooses the text to search for by frequency: tries one after the other until one is rare, else uses the rarest. */
export class LiteralChoice {
  private readonly finds: readonly FindLiteral[];
  private readonly gaps: number[] = [];
  private isSettled: boolean;
  private places = 0;
  private passedBytes = 0;
  private chosen: FindLiteral | undefined;

  constructor(finds: readonly FindLiteral[]) {
    this.finds = finds;
    this.chosen = finds[0];
    this.isSettled = finds.length === 0;
  }

  /** The current search; `undefined` if all texts are too frequent. */
  get find(): FindLiteral | undefined {
    return this.chosen;
  }

  /** Records that bytes were skipped, up to an occurrence or the end of the search. */
  passed(bytes: number, isPlace: boolean): void {
    if (this.isSettled) return;
    this.passedBytes += bytes;
    if (isPlace && ++this.places >= sampleSize) this.judge();
  }

  private judge(): void {
    const gap = this.passedBytes / this.places;
    this.gaps.push(gap);
    const next = gap < goodGapBytes ? this.finds[this.gaps.length] : undefined;
    this.isSettled = next === undefined;
    this.chosen = next ?? this.rarest();
    this.places = 0;
    this.passedBytes = 0;
  }

  private rarest(): FindLiteral | undefined {
    const widest = Math.max(...this.gaps);
    return widest < minGapBytes ? undefined : this.finds[this.gaps.indexOf(widest)];
  }
}
