import type { DiffLine } from "./line-diff.ts";

/** Unchanged lines shown around each change. */
const contextLines = 2;

/** The changed lines with their context, and whether lines are left out before each. */
export function nearLines(lines: readonly DiffLine[]): { readonly line: DiffLine; readonly isAfterGap: boolean }[] {
  return lines.flatMap((line, index) => {
    if (!isNearChange(lines, index)) return [];
    return [{ line, isAfterGap: index > 0 && !isNearChange(lines, index - 1) }];
  });
}

/** The change without the unchanged lines that are never shown. It is drawn as before: each gap and the last number stay. */
export function nearChange<Change extends { readonly lines: readonly DiffLine[] }>(change: Change): Change {
  const { lines } = change;
  // One more than is shown on each side, so that a gap is still one.
  const isKept = (index: number) => index === lines.length - 1 || isNearChange(lines, index, contextLines + 1);
  return { ...change, lines: lines.filter((_, index) => isKept(index)) };
}

/** Whether a line has changed, or one that is so many lines away or less. */
function isNearChange(lines: readonly DiffLine[], index: number, reach = contextLines): boolean {
  return lines.slice(Math.max(0, index - reach), index + reach + 1).some(({ sign }) => sign !== " ");
}
