import { codeSpan } from "./code.ts";
import { anything, endsInUrl, escapeLineStart, escapeText, type TextPlace } from "./escape-text.ts";
import type { Run } from "./inline.ts";
import type { Mark } from "./marks.ts";
import { type MayLink, type Span, spansOf } from "./spans.ts";

/** What the text becomes: a paragraph has line breaks, a heading is one line, a table cell has no line feeds. */
export type TextKind = "paragraph" | "heading" | "cell";

const lineBreaks: Readonly<Record<TextKind, string>> = { paragraph: "  \n", heading: " ", cell: "<br>" };

/** Writes the runs of one paragraph, heading or table cell as Markdown. */
export function renderInline(runs: readonly Run[], kind: TextKind, mayLink: MayLink): string {
  const [only] = runs;
  // Most texts, for which the rest would take several times as long.
  if (runs.length === 1 && only?.isRaw === false && only.path.length === 0)
    return finish(escapeText(only.text, plainPlace), kind);
  const rows = spansOf(runs, mayLink);
  const pieces: string[] = [];
  let open: readonly Span[] = [];
  let isInUrl = false;
  let beganInUrl = false;
  for (const [index, run] of runs.entries()) {
    const spans = (rows[index] ?? []).filter(({ isWritten }) => isWritten);
    const shared = sharedSpans(open, spans);
    const ended = open.slice(shared);
    for (const { mark } of ended.toReversed()) pieces.push(endOf(mark));
    pieces.push(run.before === "\n" ? lineBreaks[kind] : run.before);
    const link = spans.slice(shared).find(({ mark }) => mark.kind === "link");
    const isAutomatic = link && kind !== "cell" && isOwnAddress(run, runs[index + 1], link.mark);
    open = isAutomatic ? spans.slice(0, spans.indexOf(link)) : spans;
    for (const { mark } of open.slice(shared)) pieces.push(startOf(mark));
    // Some readers take the backtick of code for a part of the URL, and the code for HTML.
    isInUrl = (isInUrl || (beganInUrl && ended.some(({ mark }) => mark.kind === "link"))) && run.before === "";
    if (link) beganInUrl = isInUrl;
    if (isInUrl && isCode(run)) pieces.push(" ");
    isInUrl = endsInUrl(run.text) || (isInUrl && !run.text.includes(" "));
    const code = isCode(run) && codeSpan(kind === "cell" ? withoutEscapedBars(run.text) : run.text);
    pieces.push(isAutomatic ? `<${link.mark.url}>` : code || content(run, runs[index - 1], runs[index + 1], spans));
  }
  for (const { mark } of open.toReversed()) pieces.push(endOf(mark));
  return finish(pieces.join(""), kind);
}

/** The place of a text that has neither marks nor neighbours. */
const plainPlace: TextPlace = { before: "", after: "", isInBrackets: false, isFirst: true };

function sharedSpans(one: readonly Span[], other: readonly Span[]): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}

function isCode({ path }: Run): boolean {
  return path.at(-1)?.kind === "code";
}

/** In code in a cell, some readers take a backslash before an escaped bar for an escape of the escape, which ends the cell. */
function withoutEscapedBars(code: string): string {
  return code.replaceAll("\\|", "\\ |");
}

function content(run: Run, last: Run | undefined, next: Run | undefined, spans: readonly Span[]): string {
  if (run.isRaw) return run.text;
  const outside = spans.length > 0 ? anything : "";
  return escapeText(run.text, {
    before: last && run.before === "" ? edge(last, run, last.text.at(-1)) : outside,
    after: next && next.before === "" ? edge(next, run, next.text[0]) : outside,
    isInBrackets: spans.some(({ mark }) => mark.kind === "link"),
    isFirst: !last,
  });
}

/** The neighbour's character, unless there may be Markdown in between. */
function edge(neighbour: Run, run: Run, character: string | undefined): string {
  return neighbour.isRaw || neighbour.path !== run.path ? anything : (character ?? "");
}

function isOwnAddress(run: Run, next: Run | undefined, link: Mark): boolean {
  const isWhole = !run.isRaw && run.path.at(-1) === link && !next?.path.includes(link);
  return isWhole && run.text === link.url && /^https?:/.test(run.text);
}

function startOf({ kind }: Mark): string {
  if (kind === "link") return "[";
  return kind === "strong" ? "**" : kind === "em" ? "*" : kind === "del" ? "~~" : `<${kind}>`;
}

function endOf(mark: Mark): string {
  if (mark.kind === "link") return `](${mark.url})`;
  return mark.kind === "sub" || mark.kind === "sup" ? `</${mark.kind}>` : startOf(mark);
}

function finish(text: string, kind: TextKind): string {
  if (kind === "cell") return text.replaceAll("|", "\\|");
  // Number signs at the end of a heading are not part of it.
  if (kind === "heading") return text.replace(/(^|\s)(#+)$/, "$1\\$2");
  return text.includes("\n") ? text.split("\n").map(escapeLineStart).join("\n") : escapeLineStart(text);
}
