// Text of one block, in the order of the work: runs of text with their marks (Inline), marks, spans of marks around
// neighbouring runs (spansOf), and the Markdown of a block's runs (renderInline).
import {
  anything,
  codeSpan,
  endsInUrl,
  escapeLineStart,
  escapeText,
  isPunctuation,
  isSpace,
  type TextPlace,
} from "./escape.ts";

/** A piece of a paragraph that is inside the same marks. */
export interface Run {
  /** Text as it is read; Markdown if it is raw, such as an image. */
  text: string;
  readonly isRaw: boolean;
  readonly path: readonly Mark[];
  readonly before: Gap;
}

/** What separates a run from the one before it. */
export type Gap = "" | " " | "\n";

/** How much had been collected. */
export interface Place {
  readonly runs: number;
  readonly gap: Gap;
}

/** With no-break spaces, which would otherwise be in the way of both searches and Markdown. */
const spaces = /[\t\n\f\r \u00a0\u2028\u2029]+/g;
const needsCleaning = /[^ -~\u00a1-\u2027\u202a-\ufefe\uff00-\uffff]| {2}/;

/** Collects the text of one paragraph, heading or table cell, with white space collapsed as a browser does. */
export class Inline {
  #runs: Run[] = [];
  #gap: Gap = "";
  /** Whether the next text begins a new run. */
  #isApart = false;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Whether the last thing was a line break. */
  get isAfterBreak(): boolean {
    return this.#gap === "\n";
  }

  text(text: string, mark: Mark | undefined): void {
    const clean = needsCleaning.test(text) ? text.replace(spaces, " ") : text;
    if (clean === "") return;
    if (clean === " ") {
      this.space();
      return;
    }
    const start = clean.startsWith(" ") ? 1 : 0;
    const end = clean.endsWith(" ") ? clean.length - 1 : clean.length;
    if (start) this.space();
    this.#add(clean.slice(start, end), false, mark?.path ?? []);
    if (end < clean.length) this.space();
  }

  raw(markdown: string, mark: Mark | undefined): void {
    if (markdown === "") return;
    this.#add(
      markdown,
      true,
      (mark?.path ?? []).filter(({ kind }) => kind !== "code"),
    );
  }

  space(): void {
    if (this.#gap === "" && !this.isEmpty) this.#gap = " ";
  }

  /** A line break; at the start and at the end it has no effect. */
  break(): void {
    if (!this.isEmpty) this.#gap = "\n";
  }

  /** A place to go back to. */
  mark(): Place {
    this.#isApart = true;
    return { runs: this.#runs.length, gap: this.#gap };
  }

  /** Takes back the text since then, if it is at most two characters, none of them a letter or a digit. */
  dropSymbols({ runs, gap }: Place): void {
    this.#isApart = true;
    const added = this.#runs.slice(runs, runs + 3);
    if (added.length > 2 || added.some(({ isRaw }) => isRaw)) return;
    if (!/^[^\p{L}\p{N}]{0,2}$/u.test(added.map(({ text }) => text).join(""))) return;
    this.#runs.length = Math.min(runs, this.#runs.length);
    this.#gap = gap;
  }

  /** Returns the runs and starts again. */
  take(): readonly Run[] {
    const runs: Run[] = [];
    for (const run of this.#runs) {
      const last = runs.at(-1);
      if (last && isContinued(last, run)) last.text += run.before + run.text;
      else runs.push(run);
    }
    this.#runs = [];
    this.#gap = "";
    return runs;
  }

  #add(text: string, isRaw: boolean, path: readonly Mark[]): void {
    const run = { text, isRaw, path, before: this.#gap };
    const last = this.#runs.at(-1);
    if (last && !this.#isApart && isContinued(last, run)) last.text += run.before + text;
    else this.#runs.push(run);
    this.#gap = "";
    this.#isApart = false;
  }
}

function isContinued(run: Run, next: Run): boolean {
  return !run.isRaw && !next.isRaw && next.before !== "\n" && isSamePath(run.path, next);
}

/** How many marks a run shares with the next, counted from the outermost. */
export function sharedMarks(path: readonly Mark[], next: Run): number {
  let count = 0;
  while (count < path.length && isSame(path[count], next.path[count], next.before === "")) count += 1;
  return count;
}

function isSamePath(path: readonly Mark[], next: Run): boolean {
  return path === next.path || (path.length === next.path.length && sharedMarks(path, next) === path.length);
}

/** Two elements of a kind are one if nothing is between them; two links are two. */
function isSame(one: Mark | undefined, other: Mark | undefined, touches: boolean): boolean {
  return one === other || (touches && one?.kind === other?.kind && one?.kind !== "link");
}

export type MarkKind = "strong" | "em" | "del" | "sub" | "sup" | "code" | "link" | "none";

/** An open inline element. */
export interface Mark {
  readonly kind: MarkKind;
  /** The name of the element. */
  readonly name: string;
  /** The marks that count, the outermost first; code is always the innermost, as nothing inside code is Markdown. */
  readonly path: readonly Mark[];
  readonly url?: string;
}

const kinds: ReadonlyMap<string, MarkKind> = new Map([
  ["a", "link"],
  ["b", "strong"],
  ["code", "code"],
  ["del", "del"],
  ["dt", "strong"],
  ["em", "em"],
  ["i", "em"],
  ["kbd", "code"],
  ["s", "del"],
  ["samp", "code"],
  ["strike", "del"],
  ["strong", "strong"],
  ["sub", "sub"],
  ["summary", "strong"],
  ["sup", "sup"],
  ["tt", "code"],
]);

/** The mark for an element inside others. A second one of a kind changes nothing, and neither does a link without a target. */
export function markOf(name: string, outer: Mark | undefined, url?: string): Mark {
  const wanted = kinds.get(name) ?? "none";
  const around = outer?.path ?? [];
  const isCode = around.at(-1)?.kind === "code";
  const counts =
    wanted !== "none" &&
    !around.some(({ kind }) => kind === wanted) &&
    (wanted === "link" ? url !== undefined : !isCode);
  const link = url === undefined ? {} : { url };
  if (!counts) return { kind: "none", name, path: around, ...link };
  const path = [...around];
  const mark: Mark = { kind: wanted, name, path, ...link };
  path.splice(isCode ? -1 : path.length, 0, mark);
  return mark;
}

/** The open inline elements of a page, the outermost first. */
export class OpenMarks {
  readonly #marks: Mark[] = [];

  get innermost(): Mark | undefined {
    return this.#marks.at(-1);
  }

  open(name: string, url?: string): void {
    this.#marks.push(markOf(name, this.innermost, url));
  }

  /**
   * Closes an element, which need not be the innermost. One that does not count changes nothing for those inside it. One that does is
   * the last of its name, so each mark is made again at most once for each name.
   */
  close(name: string): void {
    const index = this.#marks.findLastIndex((mark) => mark.name === name);
    if (index < 0) return;
    const [closed] = this.#marks.splice(index, 1);
    if (closed?.kind === "none") return;
    for (const [offset, inner] of this.#marks.slice(index).entries())
      this.#marks[index + offset] = markOf(inner.name, this.#marks[index + offset - 1], inner.url);
  }
}

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
    const shared = commonLength(open, spans);
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

function commonLength(one: readonly Span[], other: readonly Span[]): number {
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
