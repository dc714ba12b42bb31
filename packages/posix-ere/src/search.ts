import type { LineScanner } from "./line-scanner.ts";
import type { RequiredLiteral } from "./required-literal.ts";

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
  readonly scanner: LineScanner;
  readonly literal: RequiredLiteral | undefined;
  readonly test: Test;
  /** Whether what the scanner finds is a match; otherwise `test` has the last word. */
  readonly isExact: boolean;
}

/**
 * How many bytes lie between two places of a literal on average where looking for it is still quicker than running the
 * automaton over everything.
 */
const minGapBytes = 48;

/** How many places are looked at before that is judged. */
const sampleSize = 64;

/** The quickest search for a pattern: by its literal where it has one and that is rare, else by the automaton alone. */
export function createSearch({ scanner, literal, test, isExact }: SearchParts): Search {
  const scan = isExact ? scanner.search.bind(scanner) : scanAndTest(scanner, test);
  const wanted = literal && Buffer.from(literal.text);
  let isRare = wanted !== undefined;
  let places = 0;
  let passedBytes = 0;

  return (buffer, from = 0, to = buffer.length) => {
    // What stands behind `to` is not to be looked at, and a search for a byte knows no end but the buffer's.
    const bytes = to < buffer.length ? buffer.subarray(0, to) : buffer;
    if (wanted === undefined || !isRare) return scan(bytes, from, to);
    for (let at = from; at < to; ) {
      const found = bytes.indexOf(wanted, at);
      if (found < 0) return -1;
      if (literal?.isWhole && isExact) return found;
      places++;
      passedBytes += found - at;
      const lineStart = Math.max(from, bytes.lastIndexOf(newline, found) + 1);
      const lineEnd = endOfLine(bytes, found, to);
      if (test(bytes, lineStart, lineEnd)) return found;
      at = lineEnd + 1;
      if (places >= sampleSize && passedBytes < places * minGapBytes) {
        isRare = false;
        return at < to ? scan(bytes, at, to) : -1;
      }
    }
    return -1;
  };
}

function scanAndTest(scanner: LineScanner, test: Test): Search {
  return (bytes, from = 0, to = bytes.length) => {
    for (let at = from; at < to; ) {
      const found = scanner.search(bytes, at, to);
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
