import { readLines } from "./read-lines.ts";

const rewindPattern = /^\{"seq":\d+,"time":"[^"]*","type":"rewind","to":(\d+)/;
const seqPattern = /^\{"seq":(\d+)/;

/**
 * Which lines of a session have been taken back, by their place in the file: those from where a rewind went to up to the
 * rewind itself. Places, as a damaged log may have the same `seq` twice.
 *
 * @throws the system's error when there is no such file.
 */
export function findUndone(path: string): (index: number) => boolean {
  const ranges: { from: number; to: number }[] = [];
  const seqs: number[] = [];
  for (const line of readLines(path)) {
    const to = rewindPattern.exec(line)?.[1];
    if (to !== undefined) ranges.push({ from: placeOf(Number(to), seqs), to: seqs.length });
    seqs.push(Number(seqPattern.exec(line)?.[1] ?? Number.NaN));
  }
  // A rewind that was itself taken back counts no more; a later one stands before the ones it spans.
  const valid: typeof ranges = [];
  for (const range of ranges.reverse()) {
    if (!valid.some(({ from, to }) => range.to >= from && range.to <= to)) valid.push(range);
  }
  return (index) => valid.some(({ from, to }) => index >= from && index <= to);
}

/** Where a line stands, or where it would, had it not been lost. */
function placeOf(wanted: number, seqs: readonly number[]): number {
  const at = seqs.lastIndexOf(wanted);
  if (at >= 0) return at;
  const next = seqs.findIndex((seq) => seq > wanted);
  return next < 0 ? seqs.length : next;
}
