import { printOut } from "../../host/stdout.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { columnsOf, wrapMarks, wrapStyled } from "../pi-tui/text.ts";
import { type Drawn, diffLines, eraseFrom, goTo } from "./diff-lines.ts";
import type { Drawable } from "./drawable.ts";
import type { LinkLine } from "./link-line.ts";
import { type Placement, place, unplaced } from "./placement.ts";
import type { ResizeKind } from "./terminal-reports.ts";

const begin = "\u001b[?2026h\u001b[?25l\u001b[?7l";
export const showCursor = "\u001b[?25h";
const end = "\u001b[?7h\u001b[?2026l";

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
  const lines = shown.slice(first, first + rows).map(screen.drawable);
  const { waiting, placement: before } = screen;
  const { taken, written, placement } = place(before, { waiting, height: lines.length, over: frame.over ?? 0, rows });
  const drawn = { lines: [...taken, ...screen.drawn.lines], row: screen.drawn.row + taken.length };
  const { output, row } = diffLines(drawn, [...written, ...lines], rows);
  const column = Math.min(frame.cursor?.column ?? 0, columns - 1);
  const target = cursorRow === undefined ? lines.length - 1 : cursorRow - first;
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
  const rowsOf = (line: string) => (kind === "cuts" ? 1 : Math.max(1, Math.ceil(columnsOf(line) / columns)));
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
    if (image.test(line) || columnsOf(line) <= columns) return [line];
    const mark = Object.values(wrapMarks).find((one) => line.startsWith(one)) ?? "";
    return wrapStyled(line.slice(mark.length).replace(links, ""), columns);
  });
}
