const rewindPattern = /^\{"seq":\d+,"time":"[^"]*","type":"rewind","to":(\d+)/;
const seqPattern = /^\{"seq":(\d+)/;

/**
 * Returns which lines of a session were rewound, by position: from the target of a rewind to the rewind itself.
 * By position, because a damaged log may have duplicate `seq` values.
 *
 * @throws what reading the lines throws.
 */
export function findUndone(lines: Iterable<string>): (index: number) => boolean {
  const ranges: { from: number; to: number }[] = [];
  const seqs: number[] = [];
  for (const line of lines) {
    const to = rewindPattern.exec(line)?.[1];
    if (to !== undefined) ranges.push({ from: placeOf(Number(to), seqs), to: seqs.length });
    seqs.push(Number(seqPattern.exec(line)?.[1] ?? Number.NaN));
  }
  // A rewind that was itself rewound no longer counts; a later one takes precedence over those it spans.
  const valid: typeof ranges = [];
  for (const range of ranges.reverse()) {
    if (!valid.some(({ from, to }) => range.to >= from && range.to <= to)) valid.push(range);
  }
  return (index) => valid.some(({ from, to }) => index >= from && index <= to);
}

/** Returns a line's position, or where it would be had it not been lost. */
function placeOf(wanted: number, seqs: readonly number[]): number {
  const at = seqs.lastIndexOf(wanted);
  if (at >= 0) return at;
  const next = seqs.findIndex((seq) => seq > wanted);
  return next < 0 ? seqs.length : next;
}
