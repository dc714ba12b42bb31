import { contextLines, type FileChange } from "./file-change.ts";

/** The change without the unchanged lines that are never shown. It is drawn as before: each gap and the last number stay. */
export function nearChange(change: FileChange): FileChange {
  const { lines } = change;
  // One more than is shown on each side, so that a gap is still one.
  const reach = contextLines + 1;
  const isKept = (index: number) =>
    index === lines.length - 1 ||
    lines.slice(Math.max(0, index - reach), index + reach + 1).some(({ sign }) => sign !== " ");
  return { ...change, lines: lines.filter((_, index) => isKept(index)) };
}
