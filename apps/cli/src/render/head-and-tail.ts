/** The lines when they are few, else the first and last ones around `gap(number left out)`. */
export function headAndTail<Line>(
  lines: readonly Line[],
  { head, tail, gap }: { head: number; tail: number; gap: (leftOut: number) => Line },
): Line[] {
  // A gap of one line would take as much room as the line.
  if (lines.length <= head + tail + 1) return [...lines];
  return [...lines.slice(0, head), gap(lines.length - head - tail), ...lines.slice(lines.length - tail)];
}
