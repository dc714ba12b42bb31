import type { FindLiteral } from "./find-literals.ts";
import { LiteralChoice } from "./literal-choice.ts";

/** Whether the bytes from `from` to `to`, which hold no newline, have a match. */
export type Test = (bytes: Uint8Array, from?: number, to?: number) => boolean;

/**
 * Searches many lines at once: those from `from`, the start of one, to `to`. Returns a place in the first line that matches,
 * or its end; -1 if none does.
 */
export type Search = (bytes: Buffer, from?: number, to?: number) => number;

const newline = 0x0a;

/** What a search is made of. */
export interface SearchParts {
  /** Searches with the automaton. */
  readonly scan: Search;
  /** Each finds a text, or one of several, that every line which matches holds. */
  readonly finds: readonly FindLiteral[];
  /** Whether a line that holds such a text matches. */
  readonly areFoundWhole: boolean;
  readonly test: Test;
  /** Whether what the scanner finds is a match; otherwise `test` has the last word. */
  readonly isExact: boolean;
}

/** The quickest search for a pattern: by its texts where it has some and one is rare, else by the automaton alone. */
export function createSearch({ scan, finds, areFoundWhole, test, isExact }: SearchParts): Search {
  const search = isExact ? scan : scanAndTest(scan, test);
  const choice = new LiteralChoice(finds);

  return (buffer, from = 0, to = buffer.length) => {
    // What stands behind `to` is not to be looked at, and a search for a byte knows no end but the buffer's.
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
