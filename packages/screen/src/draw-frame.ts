// Draws a frame over the last one: places it above the bottom, and rewrites only the rows that differ.

import type { LinkLine } from "./link-line.ts";
import { styledWidth, wrapMarks, wrapStyled } from "./styled-text.ts";
import type { Drawable, ResizeKind } from "./terminal-state.ts";
import { printOut } from "./terminal-state.ts";

const begin = "\u001b[?2026h\u001b[?25l\u001b[?7l";
export const showCursor = "\u001b[?25h";
const end = "\u001b[?7h\u001b[?2026l";

/** Lines to draw, and the position of the cursor in them. */
export interface Frame {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
  /** How many rows are there only for a while, as for a list that the user has opened. */
  readonly over?: number;
  /** Called when it is on the screen. */
  readonly onDrawn?: () => void;
}

/** What is on the terminal, and what is to come. */
export interface Screen {
  readonly drawable: Drawable;
  readonly link: LinkLine;
  columns: number;
  rows: number;
  drawn: Drawn;
  cursorColumn: number;
  placement: Placement;
  /** Committed lines that are not written yet. */
  waiting: string[];
}

/** Writes the committed lines and draws a frame below them. */
export function drawFrame(screen: Screen, frame: Frame): void {
  const { rows, columns, cursorColumn } = screen;
  // The cursor always needs a row.
  const shown = frame.lines.length > 0 ? frame.lines : [""];
  const cursorRow = frame.cursor?.row;
  // If not everything fits, show the end and the row of the cursor.
  const first = Math.max(0, Math.min(shown.length - rows, cursorRow ?? shown.length));
  const fitting = shown.slice(first, first + rows).map(screen.drawable);
  const { waiting, placement: before } = screen;
  const wanted = { waiting, height: fitting.length, over: frame.over ?? 0, rows };
  const { taken, written, gap, placement } = place(before, wanted);
  const lines = [...Array<string>(gap).fill(""), ...fitting];
  const drawn = { lines: [...taken, ...screen.drawn.lines], row: screen.drawn.row + taken.length };
  const { output, row } = repaint(drawn, [...written, ...lines], rows);
  const column = Math.min(frame.cursor?.column ?? 0, columns - 1);
  const target = cursorRow === undefined ? lines.length - 1 : gap + cursorRow - first;
  const isSame = output === "" && target === drawn.row && column === cursorColumn;
  const to = goTo(target + written.length - row, column);
  Object.assign(screen, {
    waiting: [],
    placement,
    drawn: { lines, row: target },
    cursorColumn: column,
  });
  if (!isSame) printOut(`${begin}${output}${to}${frame.cursor ? showCursor : ""}${end}`);
  frame.onDrawn?.();
}

/**
 * Erases the lines that change after a resize, wherever the terminal has moved them: it may have wrapped those that are too wide now.
 * What it has pushed into the scrollback stays there, and comes again.
 */
export function eraseResized(screen: Screen, kind: ResizeKind): void {
  const { drawn, columns, cursorColumn } = screen;
  const rowsOf = (line: string) => (kind === "cuts" ? 1 : Math.max(1, Math.ceil(styledWidth(line) / columns)));
  const above = drawn.lines.slice(0, drawn.row).reduce((sum, line) => sum + rowsOf(line), 0);
  const rest = drawn.lines.slice(drawn.row);
  const wrapped = Math.min(Math.floor(cursorColumn / columns), rowsOf(rest[0] ?? "") - 1);
  erase(screen, above + (kind === "xterm.js" ? xtermJsShift(rest, rowsOf) : wrapped));
  unplace(screen);
}

/**
 * How far below its line the cursor is in xterm.js, which wraps from the last line upwards and takes the cursor with it, so that the
 * line it must not wrap, that of the cursor, is soon another one:
 * https://github.com/xtermjs/xterm.js/blob/6.0.0/src/common/buffer/Buffer.ts (`_reflowSmaller`)
 *
 * @param lines that of the cursor, and those below it
 */
function xtermJsShift(lines: readonly string[], rowsOf: (line: string) => number): number {
  let shift = 0;
  for (let index = lines.length - 1; index >= 0; index--) if (index !== shift) shift += rowsOf(lines[index] ?? "") - 1;
  return shift;
}

/** Erases the lines that change. */
export function eraseFrame(screen: Screen): void {
  erase(screen, screen.drawn.row);
}

function erase(screen: Screen, up: number): void {
  if (screen.drawn.lines.length > 0) printOut(eraseFrom(up));
  screen.drawn = { lines: [], row: 0 };
}

/** Starts to count rows again. Committed lines that were covered are written again. */
export function unplace(screen: Screen): void {
  screen.waiting = [...narrowLines(screen.placement.covered, screen.columns), ...screen.waiting];
  screen.placement = unplaced;
}

/** Notes which row of the screen a row of the placement is. */
export function locate(screen: Screen, row: number, screenRow: number): void {
  screen.placement = { ...screen.placement, origin: screenRow - row };
}

/** Lines are committed for the new size from now on, and those that are not written yet are fitted to it. */
export function takeSize(screen: Screen, size: Pick<Screen, "columns" | "rows">): void {
  Object.assign(screen, size);
  screen.waiting = narrowLines(screen.waiting, screen.columns);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of links
const links = /\u001b\]8;;[^\u0007\u001b]*\u001b\\/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what begins a sequence other than a style or a link: an image
const image = /\u001b(?!\[[\d;]*m|\]8;;|\\)/;

/** Wraps lines again that were laid out for a wider window, in which they would be cut. Those lose their links. */
function narrowLines(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    if (image.test(line) || styledWidth(line) <= columns) return [line];
    const mark = Object.values(wrapMarks).find((one) => line.startsWith(one)) ?? "";
    return wrapStyled(line.slice(mark.length).replace(links, ""), columns);
  });
}

/** Where the drawn lines are, and the committed lines around them. Rows are counted from the first one that was written. */
interface Placement {
  /** The committed lines straight above the drawn ones. */
  readonly above: readonly string[];
  /** The committed lines after those, which the drawn lines cover for a while. */
  readonly covered: readonly string[];
  /** The row of the first drawn line, and the lowest row so far. */
  readonly top: number;
  readonly bottom: number;
  /** The row of the screen where the first row was, negative if above it; undefined if unknown. */
  readonly origin?: number | undefined;
}

export const unplaced: Placement = { above: [], covered: [], top: 0, bottom: 0 };

/** What is to be drawn: committed lines first, then some that change, the last `over` of which only for a while. */
interface Wanted {
  readonly waiting: readonly string[];
  readonly height: number;
  readonly over: number;
  /** The rows of the screen. */
  readonly rows: number;
}

/** What a frame writes above the lines that change. */
interface Placed {
  /** Committed lines that it covers. */
  readonly taken: readonly string[];
  /** Committed lines that it writes. */
  readonly written: readonly string[];
  /** Empty rows between those and the lines that change. */
  readonly gap: number;
  readonly placement: Placement;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what begins an image
const pictureRow = /\u001b[_P]|\u001b\]1337/;

/**
 * Places the next frame. At the bottom of the screen, lines that are drawn only for a while do not scroll it: they cover the last
 * committed lines, which are written again afterwards, so that the others return to the rows where they were. A frame that has reached
 * the bottom stays there when it gets shorter: what is committed next fills the gap above it.
 */
export function place(before: Placement, { waiting, height, over, rows }: Wanted): Placed {
  const { above, covered, top } = before;
  const last = lastRow(before, rows);
  const held = covered.length + waiting.length;
  const wanted = Math.max(0, Math.min(over, top + held + height - 1 - last));
  const taken = above.slice(above.length - takable(above, wanted - held, top - Math.max(0, last - rows + 1)));
  const all = [...taken, ...covered, ...waiting];
  const cover = Math.min(all.length, Math.max(wanted, taken.length));
  const written = all.slice(0, all.length - cover);
  const start = top - taken.length + written.length;
  const end = start + height - 1;
  const placement = {
    ...before,
    above: [...above.slice(0, above.length - taken.length), ...written].slice(-rows),
    covered: all.slice(all.length - cover),
    top: start,
    bottom: Math.max(before.bottom, end),
  };
  const gap = before.bottom === last ? Math.max(0, last - end) : 0;
  return { taken, written, gap, placement };
}

/** How many lines above can be covered: those on the screen, no part of an image, and no part of a line that the terminal wraps. */
function takable(above: readonly string[], wanted: number, visible: number): number {
  const afterImage = above.length - 1 - above.findLastIndex((line) => pictureRow.test(line));
  const most = Math.min(visible, afterImage);
  let count = Math.max(0, Math.min(wanted, most));
  while (count > 0 && count < most && above.at(-count)?.startsWith(wrapMarks.next)) count++;
  return count;
}

/** The row that the last row of the screen is at least. */
function lastRow({ bottom, origin = 0 }: Placement, rows: number): number {
  return Math.max(bottom, rows - 1 - origin);
}

/** The lines drawn below the committed ones, and the row of the cursor among them. */
export interface Drawn {
  readonly lines: readonly string[];
  readonly row: number;
}

const eraseLine = "\u001b[K";
const eraseBelow = "\u001b[J";

/**
 * Returns the control sequences that turn the drawn lines into the wanted ones, and the row where they leave the cursor.
 *
 * Lines before and after a change are not written again: the terminal moves them. All movements are relative to the cursor, so
 * the position of the lines on the screen does not matter. Lines that do not fit scroll away at the top.
 */
export function repaint(drawn: Drawn, wanted: readonly string[], rows: number): { output: string; row: number } {
  const { lines } = drawn;
  const head = countEqual(lines, wanted);
  const most = Math.min(lines.length, wanted.length) - head;
  const tail = Math.min(most, countEqual(lines.slice(head).reverse(), wanted.slice(head).reverse()));
  const gone = lines.length - head - tail;
  const come = wanted.length - head - tail;
  if (gone === 0 && come === 0) return { output: "", row: drawn.row };
  if (gone === 1 && come === 1) return changeLine(drawn, head, wanted[head] ?? "");
  const keepsTail = tail > 0 && gone !== come && come + tail < rows;
  if (keepsTail) return moveTail(drawn, wanted, { head, gone, come });
  const end = gone === come ? head + come : wanted.length;
  return rewrite(drawn, wanted, { head, end });
}

/** Rewrites one line, or only appends to it, which is the most common change. */
function changeLine({ lines, row }: Drawn, at: number, now: string) {
  const before = lines[at] ?? "";
  const isLonger = before !== "" && now.startsWith(before);
  const change = isLonger ? `\u001b[${styledWidth(before) + 1}G${now.slice(before.length)}` : `\r${eraseLine}${now}`;
  return { output: `${move(at - row)}${change}`, row: at };
}

interface Change {
  readonly head: number;
  readonly gone: number;
  readonly come: number;
}

/** Lets the terminal move the rows below the change, then writes the changed ones. */
function moveTail({ lines, row }: Drawn, wanted: readonly string[], { head, gone, come }: Change) {
  const grows = come - gone;
  let output = "";
  if (grows > 0) {
    // Make room below first; this scrolls only at the bottom of the screen.
    const last = lines.length - 1;
    output += `${move(last - row)}\r${"\n".repeat(grows)}${move(head + gone - last - grows)}\u001b[${grows}L`;
  } else {
    output += `${move(head + come - row)}\r\u001b[${-grows}M`;
  }
  const at = grows > 0 ? head + gone : head + come;
  if (come === 0) return { output, row: at };
  const written = rewriteRows(wanted, { from: at, head, end: head + come });
  return { output: output + written.output, row: written.row };
}

/** Writes all rows from the first change to `end`. */
function rewrite({ lines, row }: Drawn, wanted: readonly string[], { head, end }: { head: number; end: number }) {
  if (head >= wanted.length) {
    // Only the end was removed.
    const last = Math.max(0, wanted.length - 1);
    if (wanted.length === 0) return { output: `${move(-row)}\r${eraseBelow}`, row: 0 };
    return { output: `${move(wanted.length - row)}\r${eraseBelow}${move(-1)}`, row: last };
  }
  let from = row;
  let output = "";
  if (head >= lines.length) {
    // The row does not exist yet.
    const last = Math.max(0, lines.length - 1);
    output = `${move(last - row)}${lines.length > 0 ? "\r\n" : "\r"}`;
    from = head;
  }
  const written = rewriteRows(wanted, { from, head, end });
  const isShorter = end === wanted.length && lines.length > wanted.length;
  // From the row below: at the end of a full row, this would erase its last character.
  return {
    output: output + written.output + (isShorter ? `\r${move(1)}${eraseBelow}${move(-1)}` : ""),
    row: written.row,
  };
}

function rewriteRows(wanted: readonly string[], { from, head, end }: { from: number; head: number; end: number }) {
  const rows = wanted.slice(head, end);
  let output = "";
  let isWrapped = false;
  for (const [index, line] of rows.entries()) {
    const before = index === 0 ? undefined : rows[index - 1];
    const wraps: boolean =
      (line.startsWith(wrapMarks.first) || isWrapped) && rows[index + 1]?.startsWith(wrapMarks.next) === true;
    output += rowOf(line, before, { isWrapped, wraps });
    isWrapped = wraps;
  }
  return { output: `${move(head - from)}\r${output}`, row: end - 1 };
}

const wrapOn = "\u001b[?7h";
const wrapOff = "\u001b[?7l";

/** A row from the start of its line, or, where the terminal wraps, straight after the row before. */
function rowOf(
  line: string,
  before: string | undefined,
  { isWrapped, wraps }: { isWrapped: boolean; wraps: boolean },
): string {
  if (!isWrapped) return `${before === undefined ? "" : "\r\n"}${wraps ? wrapOn : ""}${eraseLine}${line}`;
  if (wraps) return line;
  // At the end of a full row, this would erase its last character.
  return `${line}${styledWidth(line) < styledWidth(before ?? "") ? eraseLine : ""}${wrapOff}`;
}

/** Moves the cursor by rows, and to a column. */
function goTo(rows: number, column: number): string {
  return `${move(rows)}\r${column > 0 ? `\u001b[${column}C` : ""}`;
}

function move(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? `\u001b[${rows}B` : `\u001b[${-rows}A`;
}

function countEqual(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

/** In two steps: tmux takes erasing all from the first row for clearing the screen, and keeps a copy. */
const eraseFromHere = "\u001b7\u001b[K\u001b[B\u001b[J\u001b8";

/** Erases what is drawn from `up` rows above the cursor on. */
function eraseFrom(up: number): string {
  return `${up > 0 ? `\u001b[${up}A` : ""}\r${eraseFromHere}`;
}
