import { readLines } from "./read-lines.ts";

const rewindPattern = /^\{"seq":(\d+),"time":"[^"]*","type":"rewind","to":(\d+)/;

/**
 * Which lines of a session have been taken back, by their `seq`: those from where a rewind went to up to the rewind itself.
 *
 * @throws the system's error when there is no such file.
 */
export function findUndone(path: string): (seq: number) => boolean {
  const ranges: { from: number; to: number }[] = [];
  for (const line of readLines(path)) {
    const [, seq, to] = rewindPattern.exec(line) ?? [];
    if (seq !== undefined) ranges.push({ from: Number(to), to: Number(seq) });
  }
  // A rewind that was itself taken back counts no more; a later one stands before the ones it spans.
  const valid: typeof ranges = [];
  for (const range of ranges.reverse()) {
    if (!valid.some(({ from, to }) => range.to >= from && range.to <= to)) valid.push(range);
  }
  return (seq) => valid.some(({ from, to }) => seq >= from && seq <= to);
}
