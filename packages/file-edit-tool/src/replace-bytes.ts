/** Where bytes occur in others. */
export interface Occurrences {
  /** How often, counted from the start and without overlaps. */
  readonly count: number;
  /** The numbers of the first lines on which one or more of them start, from 1. */
  readonly lines: readonly number[];
}

/** A line feed. */
const lineEnd = 0x0a;

/** Counts `wanted`, and tells at most `maxLines` of the lines. */
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

/** How many lines end in these bytes. */
export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineEnd); at >= 0; at = bytes.indexOf(lineEnd, at + 1)) count++;
  return count;
}

/**
 * The bytes with each of the `count` occurrences of `wanted` replaced.
 *
 * @throws RangeError when the result is longer than a buffer can be.
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
