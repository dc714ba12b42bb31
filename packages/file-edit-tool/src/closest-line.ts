import { isWhiteSpace } from "./white-space.ts";

/** A line of a file that is similar to another one. */
export interface CloseLine {
  /** Line number, from 1. */
  readonly number: number;
  /** Offset of its start, in bytes. */
  readonly start: number;
  /** From 0 for nothing in common to 1 for the same pairs of bytes. */
  readonly likeness: number;
}

/** A line feed. */
const lineEnd = 0x0a;

/** Penalty for a pair that `wanted` lacks: small, since `wanted` may be part of a line. */
const surplusWeight = 0.25;

/**
 * Finds the line that shares most pairs of neighbouring bytes with `wanted`, ignoring white space. This tolerates typos,
 * renamed identifiers and moved words, and reads any file once.
 */
export function closestLine(bytes: Buffer, wanted: Buffer): CloseLine | undefined {
  const pairs = new PairSet(wanted);
  let best: CloseLine | undefined;
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const newline = bytes.indexOf(lineEnd, start);
    const end = newline < 0 ? bytes.length : newline;
    const likeness = pairs.likeness(bytes, start, end);
    if (likeness > (best?.likeness ?? 0)) best = { number, start, likeness };
    start = end + 1;
  }
  return best;
}

/** The set of neighbouring byte pairs of a text, for comparison with many others. */
class PairSet {
  readonly #size: number;
  /** 1 for each pair in the text. */
  readonly #has = new Uint8Array(0x10000);
  /** The comparison in which a pair was last seen, so that it counts once per comparison. */
  readonly #seen = new Int32Array(0x10000);
  #comparison = 0;

  constructor(text: Buffer) {
    this.#size = this.#walk(text, 0, text.length).size;
    for (let pair = 0; pair < this.#seen.length; pair++) this.#has[pair] = this.#seen[pair] ?? 0;
  }

  likeness(bytes: Buffer, start: number, end: number): number {
    const { size, common } = this.#walk(bytes, start, end);
    return common / (this.#size + surplusWeight * (size - common));
  }

  #walk(bytes: Buffer, start: number, end: number): { size: number; common: number } {
    const comparison = ++this.#comparison;
    let size = 0;
    let common = 0;
    // The first byte is paired with the line start, so that a line of one byte has a pair.
    let previous = lineEnd;
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (isWhiteSpace(byte)) continue;
      const pair = (previous << 8) | byte;
      previous = byte;
      if (this.#seen[pair] === comparison) continue;
      this.#seen[pair] = comparison;
      size++;
      common += this.#has[pair] ?? 0;
    }
    return { size, common };
  }
}
