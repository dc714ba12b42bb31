/** Occurrences of some bytes in others. */
export interface Occurrences {
  /** Number of occurrences, counted from the start without overlaps. */
  readonly count: number;
  /** Numbers of the first lines on which one starts, from 1. */
  readonly lines: readonly number[];
}

/** A line feed. */
const lineEnd = 0x0a;

/** Counts occurrences of `wanted` and returns at most `maxLines` of their line numbers. */
export function findOccurrences(bytes: Buffer, wanted: Buffer, maxLines: number): Occurrences {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) {
    count++;
    if (lines.length === maxLines) continue;
    line += countLineEnds(bytes.subarray(counted, at));
    counted = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return { count, lines };
}

/** The number of line ends in these bytes. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) count++;
  return count;
}

/**
 * Replaces the first `count` occurrences of `wanted`.
 *
 * @throws RangeError if the result is longer than the largest buffer.
 */
export function replaceBytes(bytes: Buffer, wanted: Buffer, replacement: Buffer, count: number): Buffer {
  const result = Buffer.allocUnsafe(bytes.length + count * (replacement.length - wanted.length));
  let from = 0;
  let to = 0;
  for (let left = count; left > 0; left--) {
    const at = bytes.indexOf(wanted, from);
    to += bytes.copy(result, to, from, at);
    to += replacement.copy(result, to);
    from = at + wanted.length;
  }
  bytes.copy(result, to, from);
  return result;
}
