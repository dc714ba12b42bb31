// What the model writes in the transcript: its answer as Markdown, or as it is, and its thoughts.

import { textEnd } from "@ikigai/protocol";
import {
  inFullRows,
  type MarkdownCursor,
  type Piece,
  plainText,
  type Signs,
  sanitise,
  styledWidth,
  type Theme,
  takePiece,
  wholeCharacters,
  wrapBelowText,
  wrapMarks,
  wrapStyled,
} from "@ikigai/screen";
import { duration } from "../../render/short-forms.ts";
import { type ThoughtRecord, withoutMarks } from "./call-record.ts";
import { highlight } from "./highlight.ts";
import { loadedRenderers, loadRenderers, type Renderers } from "./renderers.ts";
import { type Block, fixedBlock } from "./transcript.ts";

/** An answer that streams in. */
export interface AnswerBlock extends Block {
  add(text: string): void;
  end(): void;
}

/** Earlier lines of code that highlighting looks at: a string or a comment may have begun there. */
const contextLines = 100;

/** Rows of the screen that are left to the dock, and those that an answer takes at most while they may still change. */
const otherRows = 9;
const minOpenRows = 5;

/** A paragraph that could not be split is tried again when it is longer by this factor. */
const growth = 1.25;

/** A block with fewer lines is not split to fit on the screen. */
const minSplitLines = 3;

/** Shows an answer as Markdown. Its first line has a sign before it, and so have rows of code that continue one. */
export function createAnswerBlock(theme: () => Theme, signs: () => Signs, changed: () => void): AnswerBlock {
  const state: State = {
    cursor: { rest: "", fence: undefined },
    theme,
    signs,
    hasGapBefore: false,
    context: [],
    unsplit: undefined,
  };
  const { cursor } = state;
  const margin = answerMargin(() => signs().answer);
  const whole = wholeCharacters();
  let isEnded = false;
  let isBegun = false;
  let cache: { key: string; lines: readonly string[] } | undefined;
  if (!loadedRenderers()) void loadRenderers().then(changed);
  return {
    kind: "answer",
    add(text) {
      const more = sanitise(whole(text).replaceAll("\r\n", "\n"));
      // Skip blank lines at the start.
      cursor.rest += isBegun || cursor.rest !== "" ? more : more.replace(/^\s*\n/, "");
      if (more !== "" && cursor.rest.trim() !== "") isBegun = true;
      changed();
    },
    end() {
      isEnded = true;
      changed();
    },
    takeSettled(columns, rows) {
      const renderers = loadedRenderers();
      // Settled lines cannot be rendered again, so they wait for the renderers.
      if (!renderers) return [];
      const room = { columns: Math.max(1, columns - marginColumns), rows: Math.max(minOpenRows, rows - otherRows) };
      return margin.settle(settle(state, renderers, isEnded, room));
    },
    render(columns) {
      const renderers = loadedRenderers();
      if (!renderers) return [];
      const key = `${columns}\n${state.context.length}\n${cursor.fence?.language}\n${cursor.rest}`;
      if (cache?.key !== key) {
        const lines = withGap(state, renderRest(state, renderers, Math.max(1, columns - marginColumns)));
        cache = { key, lines: margin.draw(lines) };
      }
      return cache.lines;
    },
    isDone: () => isEnded && cursor.rest === "" && !cursor.fence,
  };
}

/** The part of an answer that is not settled, and what its rendering depends on. */
interface State {
  readonly cursor: MarkdownCursor;
  readonly theme: () => Theme;
  readonly signs: () => Signs;
  hasGapBefore: boolean;
  /** Earlier lines of the code block, for highlighting. */
  context: readonly string[];
  /** The width, and the length of a paragraph that could not be split: trying costs too much for every frame. */
  unsplit: { readonly columns: number; readonly length: number } | undefined;
}

/** The room for what is not settled. */
interface Room {
  readonly columns: number;
  readonly rows: number;
}

function settle(state: State, renderers: Renderers, isEnded: boolean, room: Room): string[] {
  const { cursor } = state;
  const lines: string[] = [];
  const take = () => takePiece(cursor, isEnded) ?? (isEnded ? undefined : takeToFit(state, renderers, room));
  for (let piece = take(); piece; piece = take()) {
    lines.push(...withGap(state, renderPiece(state, renderers, piece, room.columns)));
    state.unsplit = undefined;
    state.hasGapBefore = piece.type === "markdown" ? piece.hasGap || cursor.fence !== undefined : piece.isEnd;
  }
  return lines;
}

/** Splits what does not fit on the screen: its first rows would be invisible, or come twice once a resize has pushed them out. */
function takeToFit(state: State, renderers: Renderers, { columns, rows }: Room): Piece | undefined {
  const { cursor } = state;
  const height = cursor.rest.split("\n").reduce((sum, line) => sum + Math.ceil(styledWidth(line) / columns), 0);
  if (height <= rows) return undefined;
  const piece = takePiece(cursor, false, minSplitLines);
  if (piece || cursor.fence) return piece;
  const { unsplit } = state;
  const { length } = cursor.rest;
  // What follows seldom makes it possible.
  if (unsplit?.columns === columns && length >= unsplit.length && length < growth * unsplit.length) return undefined;
  const parts = splitParagraph(cursor.rest, (text) => toLines(state, renderers, text, columns));
  if (!parts) {
    state.unsplit = { columns, length };
    return undefined;
  }
  cursor.rest = parts[1];
  return { type: "markdown", text: parts[0], hasGap: false };
}

function withGap({ hasGapBefore }: State, lines: readonly string[]): readonly string[] {
  return hasGapBefore && lines.length > 0 ? ["", ...lines] : lines;
}

function renderPiece(state: State, renderers: Renderers, piece: Piece, columns: number): string[] {
  if (piece.type === "markdown") return toLines(state, renderers, piece.text, columns);
  const wrap = commands.test(piece.language) ? leftToTerminal : undefined;
  const lines = codeLines(state, renderers, piece, columns, wrap);
  state.context = piece.isEnd ? [] : [...state.context, ...piece.lines].slice(-contextLines);
  return lines;
}

/** Renders the part that may still change. */
function renderRest(state: State, renderers: Renderers, columns: number): string[] {
  const { fence, rest } = state.cursor;
  if (!fence) return rest.trim() === "" ? [] : toLines(state, renderers, rest, columns);
  const lines = rest.split("\n");
  // The last line may become the closing fence.
  if (/^\s*(`+|~+)?$/.test(lines.at(-1) ?? "")) lines.pop();
  return codeLines(state, renderers, { lines, language: fence.language }, columns);
}

function toLines({ theme }: State, renderers: Renderers, text: string, columns: number): string[] {
  return renderers.markdown(text, columns, theme(), (code, language) =>
    highlight(renderers.toHtml, code, language, theme()),
  );
}

function codeLines(
  { context, theme, signs }: State,
  renderers: Renderers,
  { lines, language }: { readonly lines: readonly string[]; readonly language: string },
  columns: number,
  wrap: (line: string, columns: number) => string[] = wrapCode(`${theme().style.dim(signs().wrapped)} `),
): string[] {
  if (lines.length === 0) return [];
  const coloured = highlight(renderers.toHtml, lines.join("\n"), language, theme(), context);
  return coloured.flatMap((line) => wrap(line.replaceAll("\t", "    "), columns));
}

/** Rows of code; those that continue a line are below its text, with a sign before them. */
function wrapCode(continued: string): (line: string, columns: number) => string[] {
  return (line, columns) => {
    if (line === "") return [line];
    return wrapBelowText(line, columns - 2).map((row, index) => `${index === 0 ? "  " : continued}${row}`);
  };
}

/** The languages of code that is copied to a shell, and no language. */
const commands = /^(?:(?:ba|z|fi|pw)?sh|shell|shell-?session|console|terminal|powershell|bat|cmd)?$/i;

/** Rows that the terminal itself wraps, so that a long command is copied as one. They reach both edges, over the margin. */
function leftToTerminal(line: string, columns: number): string[] {
  return line === "" ? [line] : inFullRows(`  ${line}`, columns + marginColumns, marginColumns);
}

/** Columns of the margin. */
const marginColumns = 2;

const indentation = " ".repeat(marginColumns);

/** Sets an answer off from what tools print: a sign before its first line, an indentation before the others. */
interface AnswerMargin {
  /** Adds it to lines that may still change. */
  draw(lines: readonly string[]): string[];
  /** Adds it to lines that do not change any more. */
  settle(lines: readonly string[]): string[];
}

function answerMargin(sign: () => string): AnswerMargin {
  let isBegun = false;
  const draw = (lines: readonly string[]) => {
    const first = isBegun ? -1 : lines.findIndex((line) => line !== "");
    return lines.map((line, index) => withMargin(line, index === first ? sign().padEnd(marginColumns) : indentation));
  };
  return {
    draw,
    settle(lines) {
      const drawn = draw(lines);
      isBegun ||= drawn.some((line) => line !== "");
      return drawn;
    },
  };
}

/** A row that the terminal wraps continues at the left edge. */
function withMargin(line: string, margin: string): string {
  if (line === "" || line.startsWith(wrapMarks.next)) return line;
  const { first } = wrapMarks;
  return line.startsWith(first) ? `${first}${margin}${line.slice(first.length)}` : `${margin}${line}`;
}

/** Rows of a paragraph that stay open: its last words, and what they may still change. */
const openRows = 3;

/** Signs that mean something in pairs. */
const pairs = [/\*\*/g, /`/g, /\*/g, /_/g, /\$/g, /~~/g];

/** How far the second attempt is behind the first, in UTF-16 units. */
const firstStep = 8;

/**
 * Splits a paragraph that is still coming at the end of a row: rows of the first part stay as they are, and the second part
 * continues below them. Undefined where that would change how it looks.
 */
export function splitParagraph(
  text: string,
  render: (text: string) => readonly string[],
): readonly [first: string, second: string] | undefined {
  // More lines, or what has rows that depend on later ones.
  if (text.trimEnd().includes("\n") || /^\s*(?:[|<>]|[-+*]\s|\d+[.)]\s)/.test(text)) return undefined;
  if (!text.trim().includes(" ")) return undefined;
  const rows = render(text);
  const count = rows.length - openRows;
  if (count < 1) return undefined;
  const at = endOf(rows.slice(0, count), text, render);
  if (at === undefined) return undefined;
  const [first, second] = [text.slice(0, at), text.slice(at + 1).trimStart()];
  if (pairs.some((sign) => (first.match(sign)?.length ?? 0) % 2 > 0)) return undefined;
  return render(second).join("\n") === rows.slice(count).join("\n") ? [first, second] : undefined;
}

/**
 * The space in a text at which the part ends that is drawn as these rows; undefined if no such space exists. Every attempt draws a part: the
 * first is right for a text without signs, and after a few the part is found, or the space is between two attempts.
 */
function endOf(rows: readonly string[], text: string, render: (text: string) => readonly string[]): number | undefined {
  const wanted = rows.join("\n");
  let [tooShort, tooLong, step] = [0, text.length, firstStep];
  for (let next = plainText(wanted).length; ; ) {
    const after = text.indexOf(" ", Math.max(next, tooShort + 1));
    const at = after >= 0 && after < tooLong ? after : text.lastIndexOf(" ", tooLong - 1);
    if (at <= tooShort) return undefined;
    const drawn = render(text.slice(0, at));
    if (drawn.join("\n") === wanted) return at;
    if (drawn.length > rows.length) tooLong = at;
    else tooShort = at;
    next = tooLong === text.length ? at + step : Math.floor((tooShort + tooLong) / 2);
    step *= 2;
  }
}

/** The answer to a side question, in a frame that sets it off from the conversation. The renderers are loaded. */
export function asideBlock(text: string, theme: () => Theme, { rule, axis }: Pick<Signs, "rule" | "axis">): Block {
  return fixedBlock("answer", (columns) => {
    const renderers = loadedRenderers();
    const { dim } = theme().style;
    const shown = sanitise(text.replaceAll("\r\n", "\n"));
    const code = (lines: string, language: string | undefined) =>
      renderers ? highlight(renderers.toHtml, lines, language, theme()) : lines.split("\n");
    const lines = renderers?.markdown(shown, Math.max(1, columns - marginColumns), theme(), code) ?? shown.split("\n");
    const edge = dim(rule.repeat(Math.max(1, columns)));
    return [edge, ...lines.map((line) => `${dim(axis)} ${line}`), edge];
  });
}

/**
 * A verbatim answer: the built-in interpreter repeats tool output, in which `# tests 1` is not a heading. It arrives at once,
 * so nothing is settled before its end.
 */
export function createPlainAnswerBlock(changed: () => void): AnswerBlock {
  let text = "";
  let isEnded = false;
  let isTaken = false;
  const lines = (columns: number) => {
    if (text === "" || isTaken) return [];
    const shown = sanitise(text.replaceAll("\r\n", "\n")).replaceAll("\t", "    ").trimEnd();
    return shown.split("\n").flatMap((line) => wrapBelowText(line, columns));
  };
  return {
    kind: "answer",
    add(more) {
      text += more;
      changed();
    },
    end() {
      isEnded = true;
      changed();
    },
    takeSettled(columns) {
      const settled = isEnded ? lines(columns) : [];
      isTaken ||= isEnded;
      return settled;
    },
    render: lines,
    isDone: () => isTaken,
  };
}

/** A model's reasoning: its last lines while it streams, then its duration. */
export interface ThoughtBlock extends Block {
  add(text: string): void;
  /** Returns it in full, as far as it is kept. */
  end(): ThoughtRecord;
}

const maxLines = 3;

/** Kept from the end, in characters. */
const maxKept = 50_000;

/** Wrapped to fill those lines, in characters. */
const maxShown = 4_000;

/** Shorter reasoning leaves no line, in milliseconds. */
const worthMs = 1_000;

export function createThoughtBlock(theme: () => Theme, changed: () => void): ThoughtBlock {
  const startedMs = performance.now();
  let text = "";
  let tookMs: number | undefined;
  return {
    kind: "note",
    add(more) {
      text = textEnd(text + more, maxKept);
      changed();
    },
    end() {
      const thoughtMs = performance.now() - startedMs;
      tookMs ??= thoughtMs;
      changed();
      return { thought: text, tookMs: thoughtMs };
    },
    takeSettled() {
      if (tookMs === undefined || tookMs < worthMs) return [];
      const line = theme().style.dim(`thought for ${duration(tookMs)}`);
      tookMs = 0;
      return [line];
    },
    render(columns) {
      if (tookMs !== undefined) return [];
      const { style } = theme();
      const lines = withoutMarks(sanitise(textEnd(text.trim(), maxShown)))
        .split("\n")
        .flatMap((line) => wrapStyled(line, columns - 2));
      return lines.slice(-maxLines).map((line) => style.dim(`  ${line}`));
    },
    isDone: () => tookMs !== undefined,
  };
}
