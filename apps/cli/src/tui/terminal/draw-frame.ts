import { printOut } from "../../host/stdout.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { type Drawn, diffLines, eraseFrom, goTo } from "./diff-lines.ts";
import type { Drawable } from "./drawable.ts";
import type { LinkLine } from "./link-line.ts";
import { narrowLines } from "./narrow-lines.ts";
import { linesLost, type Placement, place, unplaced } from "./placement.ts";
import { textOfRows, withoutText } from "./pushed-lines.ts";
import { movedLines } from "./reflow.ts";
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
  /** How many of the drawn lines belong to the conversation, and whether others before them had no room. */
  live: number;
  isCut: boolean;
  cursorColumn: number;
  /** The rows of the screen when they were drawn. */
  drawnRows: number;
  placement: Placement;
  /** Committed lines that are not written yet. */
  waiting: string[];
  /** What a resize has pushed into the scrollback of lines that were not committed, and that come again. */
  pushed: string;
}

/** A screen before its first frame. */
export const unwritten = { waiting: [], live: 0, isCut: false, pushed: "" } satisfies Partial<Screen>;

/** Writes the committed lines and draws a frame below them. */
export function drawFrame(screen: Screen, frame: Frame): void {
  const { rows, columns, cursorColumn } = screen;
  const { shown, live, cursorRow } = withoutPushed(screen, frame);
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
    drawnRows: rows,
    live: Math.max(0, live - first),
    isCut: first > 0,
    cursorColumn: column,
  });
  if (!isSame) printOut(`${begin}${output}${to}${frame.cursor ? showCursor : ""}${end}`);
  frame.onDrawn?.();
}

/** Leaves out what is in the scrollback already, unless it has changed. */
function withoutPushed(screen: Screen, { lines, live = 0, cursor }: Frame) {
  // The cursor always needs a row.
  const all = { shown: lines.length > 0 ? lines : [""], live, cursorRow: cursor?.row };
  if (screen.pushed === "") return all;
  const waiting = withoutText(screen.waiting, screen.pushed);
  const rest = waiting && withoutText(lines.slice(0, live).map(screen.drawable), waiting.text);
  if (!waiting || !rest) {
    screen.pushed = "";
    return all;
  }
  screen.waiting = [...waiting.lines];
  screen.pushed = waiting.text;
  const gone = live - rest.lines.length;
  const shown = [...rest.lines, ...all.shown.slice(live)];
  return { shown, live: live - gone, cursorRow: cursor && cursor.row - gone };
}

/**
 * Notes what a resize has pushed into the scrollback, and erases the rest of the lines that change.
 *
 * @param cursorRow of the screen, if the terminal has reported it
 */
export function eraseResized(screen: Screen, kind: ResizeKind, cursorRow?: number): void {
  const { drawn, live, isCut, columns, rows, drawnRows, placement, cursorColumn } = screen;
  const lost = linesLost(placement, drawn.lines.length, drawnRows, rows);
  const resize = { kind, columns, rows, lost, cursorRow };
  const { up, pushed } = movedLines(drawn, cursorColumn, resize);
  // Otherwise, lines that are not written yet come before it.
  const isNext = !isCut && placement.covered.length === 0;
  if (isNext) screen.pushed = screen.pushed.trimEnd() + textOfRows(drawn.lines.slice(0, live), pushed, resize);
  erase(screen, up);
  unplace(screen, cursorRow === undefined ? undefined : Math.max(0, cursorRow - up));
}

/** Erases the lines that change. */
export function eraseFrame(screen: Screen): void {
  erase(screen, screen.drawn.row);
}

function erase(screen: Screen, up: number): void {
  if (screen.drawn.lines.length > 0) printOut(eraseFrom(up));
  screen.drawn = { lines: [], row: 0 };
}

/** Starts to count rows again, from `origin` on the screen if that is known. Committed lines that were covered are written again. */
export function unplace(screen: Screen, origin?: number): void {
  screen.waiting = [...narrowLines(screen.placement.covered, screen.columns), ...screen.waiting];
  screen.placement = { ...unplaced, origin };
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
