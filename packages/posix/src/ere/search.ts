// Searches lines for an expression: by a required text if one is rare, else by the automaton; then where in a line it matches.

import { type FindLiteral, LiteralChoice } from "./literals.ts";

/** Tests whether the line from `from` to `to` (default: all bytes), without its newline, contains a match. */
export type Test = (bytes: Uint8Array, from?: number, to?: number) => boolean;

/**
 * Searches the lines from `from` (default: 0), which must be the start of a line, to `to` (default: the end). Returns an offset
 * within the first matching line, or of the newline after it (`to` without a newline); -1 if no line matches.
 */
export type Search = (bytes: Buffer, from?: number, to?: number) => number;

/**
 * Where a match is in a line that matches, from `from` to `to`, without its newline: the first one to end, and of those the shortest.
 * `undefined` if the line does not match.
 */
export type Locate = (
  bytes: Buffer,
  from: number,
  to: number,
) => { readonly start: number; readonly end: number } | undefined;

/** Creates a `Locate`: the automaton says where a match ends, and halving where it starts. With back-references it is any match. */
export function createLocate(scan: Search, test: Test, isExact: boolean): Locate {
  return (bytes, from, to) => {
    if (!test(bytes, from, to)) return undefined;
    const line = bytes.subarray(0, to);
    const end = isExact ? Math.min(Math.max(scan(line, from, to), from) + 1, to) : to;
    let start = from;
    for (let after = end; after - start > 1; ) {
      const middle = (start + after) >>> 1;
      if (test(bytes, middle, end)) start = middle;
      else after = middle;
    }
    return { start, end };
  };
}

const newline = 0x0a;

/** The parts of a search. */
export interface SearchParts {
  /** Searches with the automaton. */
  readonly scan: Search;
  /** Each finds one of the texts of which every matching line contains at least one. */
  readonly finds: readonly FindLiteral[];
  /** Whether every line with such a text matches. */
  readonly areFoundWhole: boolean;
  readonly test: Test;
  /** Whether the automaton's matches are exact; otherwise each is confirmed with `test`. */
  readonly isExact: boolean;
}

/** Combines the parts: searches for a required text if one is rare, otherwise with the automaton. */
export function createSearch({ scan, finds, areFoundWhole, test, isExact }: SearchParts): Search {
  const search = isExact ? scan : scanAndTest(scan, test);
  const choice = new LiteralChoice(finds);

  return (buffer, from = 0, to = buffer.length) => {
    // `indexOf` takes no end, so cut the buffer at `to`.
    const bytes = to < buffer.length ? buffer.subarray(0, to) : buffer;
    for (let at = from; at < to; ) {
      const { find } = choice;
      if (find === undefined) return search(bytes, at, to);
      const found = find(bytes, at, to);
      if (found >= 0 && areFoundWhole) return found;
      choice.passed((found < 0 ? to : found) - at, found >= 0);
      if (found < 0) return -1;
      const lineStart = Math.max(from, bytes.lastIndexOf(newline, found) + 1);
      const lineEnd = endOfLine(bytes, found, to);
      if (test(bytes, lineStart, lineEnd)) return found;
      at = lineEnd + 1;
    }
    return -1;
  };
}

function scanAndTest(scan: Search, test: Test): Search {
  return (bytes, from = 0, to = bytes.length) => {
    for (let at = from; at < to; ) {
      const found = scan(bytes, at, to);
      if (found < 0) return -1;
      const lineStart = found === 0 ? 0 : bytes.lastIndexOf(newline, found - 1) + 1;
      const lineEnd = endOfLine(bytes, found, to);
      if (test(bytes, Math.max(at, lineStart), lineEnd)) return found;
      at = lineEnd + 1;
    }
    return -1;
  };
}

function endOfLine(bytes: Buffer, at: number, to: number): number {
  const end = bytes.indexOf(newline, at);
  return end < 0 ? to : end;
}
