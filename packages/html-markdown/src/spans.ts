import { isPunctuation, isSpace } from "./escape-text.ts";
import { type Run, sharedMarks } from "./inline.ts";
import type { Mark } from "./marks.ts";

/** A mark around one or more runs, and whether it is written. */
export interface Span {
  readonly mark: Mark;
  isWritten: boolean;
}

const none: readonly Span[] = [];

/** Decides whether the target of a link is written. */
export type MayLink = (url: string) => boolean;

/**
 * For each run the spans around it. Emphasis is left out where CommonMark would show its asterisks: a closing one after
 * punctuation and before a letter, for example.
 */
export function spansOf(runs: readonly Run[], mayLink: MayLink): readonly (readonly Span[])[] {
  const rows: (readonly Span[])[] = [];
  let open: Span[] = [];
  for (const [index, run] of runs.entries()) {
    const last = runs[index - 1];
    if (open.length === 0 && run.path.length === 0) {
      rows.push(none);
      continue;
    }
    const shared = last ? sharedSpans(last, run) : 0;
    const closed = open.slice(shared);
    if (last) closeSpans(closed, shared, last, run);
    const opened = run.path.slice(shared, spanCount(run)).map((mark) => ({
      mark,
      isWritten: mark.url === undefined || mayLink(mark.url),
    }));
    openSpans(opened, shared, last, run, isStar(closed[0]) && run.before === "");
    open = [...open.slice(0, shared), ...opened];
    rows.push(open);
  }
  const last = runs.at(-1);
  if (last) closeSpans(open, 0, last, undefined);
  return rows;
}

function sharedSpans(last: Run, run: Run): number {
  return Math.min(sharedMarks(last.path, run), spanCount(last), spanCount(run));
}

/** How many of a run's marks are spans: all but code. */
function spanCount({ path }: Run): number {
  return path.at(-1)?.kind === "code" ? path.length - 1 : path.length;
}

function closeSpans(closed: readonly Span[], shared: number, run: Run, next: Run | undefined): void {
  const after = next && next.before === "" ? firstCharacter(next, shared) : "";
  for (const [index, span] of closed.entries()) {
    if (!isEmphasis(span.mark)) continue;
    const before = lastCharacter(run, shared + index + 1, span.mark);
    if (isSpace(before) || (isPunctuation(before) && !isSpace(after) && !isPunctuation(after))) span.isWritten = false;
  }
}

function openSpans(opened: readonly Span[], shared: number, last: Run | undefined, run: Run, touches: boolean): void {
  const before = last && run.before === "" ? lastCharacter(last, shared) : "";
  for (const [index, span] of opened.entries()) {
    if (!isEmphasis(span.mark)) continue;
    const after = firstCharacter(run, shared + index + 1, span.mark);
    if (isSpace(after) || (isPunctuation(after) && !isSpace(before) && !isPunctuation(before))) span.isWritten = false;
    if (index === 0 && touches && isStar(span)) span.isWritten = false;
  }
}

/** What a reader of Markdown sees first of a run inside some of its marks; adjacent asterisks count as one. */
function firstCharacter(run: Run, from: number, within?: Mark): string {
  return edgeMark(run, from, within) ?? String.fromCodePoint(run.text.codePointAt(0) ?? 32);
}

function lastCharacter(run: Run, from: number, within?: Mark): string {
  const last = run.text.at(-1) ?? " ";
  const isHalf = /[\udc00-\udfff]/.test(last) && run.text.length > 1;
  return edgeMark(run, from, within) ?? (isHalf ? run.text.slice(-2) : last);
}

/** Stands for the Markdown of a mark around the text. Emphasis beside the asterisks in question may yet be left out. */
function edgeMark(run: Run, from: number, within: Mark | undefined): string | undefined {
  if (run.isRaw) return "!";
  const isNothing = within && !isStarMark(within) ? () => false : within ? isStarMark : isEmphasis;
  return run.path.slice(from).every(isNothing) ? undefined : "~";
}

function isEmphasis({ kind }: Mark): boolean {
  return kind === "strong" || kind === "em" || kind === "del";
}

function isStarMark({ kind }: Mark): boolean {
  return kind === "strong" || kind === "em";
}

function isStar(span: Span | undefined): boolean {
  return span !== undefined && isStarMark(span.mark);
}
