import { printOut } from "../../host/stdout.ts";
import { type DrawnLine, rowsToWrite } from "../../render/visual/picture.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { type Drawn, diffLines, eraseDrawn, goTo } from "./diff-lines.ts";
import type { Drawable } from "./drawable.ts";
import type { LinkLine } from "./link-line.ts";
import { narrowLines } from "./narrow-lines.ts";
import { noticeSize, sizeOfTerminal } from "./terminal-state.ts";

/**
 * The terminal: committed lines, which belong to its scrollback once written, and below them a few that change. Lines that have
 * scrolled away are never rewritten, and nothing is cleared that we did not write.
 */
export interface Surface {
  readonly columns: number;
  readonly rows: number;
  /** Reduces a line to what the terminal can show. */
  readonly drawable: Drawable;
  /** Writes permanent lines, and images, above those that change. */
  commit(lines: readonly DrawnLine[]): void;
  /** Draws soon. `isUrgent`: the user has pressed a key. */
  requestDraw(isUrgent?: boolean): void;
  /** Removes the lines that change until `show`, while another program has the terminal. */
  hide(): void;
  show(): void;
  /** Clears the screen; the scrollback stays. */
  clear(): void;
  /** Writes an invisible sequence: a title, a bell, text for the clipboard. */
  signal(sequence: string): void;
  close(): void;
}

/** Interval between frames that no key has caused, in milliseconds: smooth enough, at a few bytes a second. */
const drawMs = 40;

/** How long a window must keep its size before it is drawn, in milliseconds: while it is dragged, the size is stale. */
const settleMs = 60;

const begin = "\u001b[?2026h\u001b[?25l\u001b[?7l";
const showCursor = "\u001b[?25h";
const end = "\u001b[?7h\u001b[?2026l";

/** The state of the terminal. */
interface State {
  readonly render: (columns: number, rows: number) => Frame;
  readonly drawable: Drawable;
  readonly link: LinkLine;
  drawn: Drawn;
  cursorColumn: number;
  /** Committed lines that are not written yet. */
  waiting: string[];
  columns: number;
  rows: number;
  timer: NodeJS.Timeout | undefined;
  settling?: NodeJS.Timeout | undefined;
  isUrgentDue: boolean;
  lastMs: number;
  costMs: number;
  isHidden: boolean;
}

/** The initial state of a surface. */
export interface Ground extends Pick<State, "drawable" | "link" | "cursorColumn"> {
  /** The lines already drawn, with the cursor in `cursorColumn`. */
  readonly drawn: Drawn;
}

/** Opens the surface. `render` returns the lines that change, at most `rows` of them. */
export function openSurface(render: State["render"], ground: Ground): Surface {
  const state: State = {
    render,
    ...ground,
    waiting: [],
    ...sizeOfTerminal(),
    timer: undefined,
    isUrgentDue: false,
    lastMs: 0,
    costMs: 0,
    isHidden: false,
  };
  const onResize = () => resized(state);
  process.stdout.on("resize", onResize);
  return {
    get columns() {
      return state.columns;
    },
    get rows() {
      return state.rows;
    },
    drawable: state.drawable,
    commit(lines) {
      state.waiting.push(...rowsToWrite(lines, (text) => state.link(state.drawable(text), state.columns)));
      requestDraw(state, false);
    },
    requestDraw: (isUrgent = false) => requestDraw(state, isUrgent),
    hide: () => hide(state),
    show() {
      state.isHidden = false;
      takeSize(state);
      draw(state);
    },
    clear() {
      // Another program has the terminal.
      if (state.isHidden) return;
      printOut("\u001b[H\u001b[2J");
      state.drawn = { lines: [], row: 0 };
      state.waiting = [];
      draw(state);
    },
    signal: printOut,
    close() {
      hide(state);
      process.stdout.off("resize", onResize);
    },
  };
}

function requestDraw(state: State, isUrgent: boolean): void {
  if (state.isHidden || state.settling) return;
  if (isUrgent && !state.isUrgentDue) {
    state.isUrgentDue = true;
    // Keys that arrive together are drawn together.
    setImmediate(() => {
      if (state.isUrgentDue) draw(state);
    });
  }
  // Slow frames are drawn less often, to leave time for other work.
  const dueMs = state.lastMs + Math.max(drawMs, 4 * state.costMs);
  state.timer ??= setTimeout(() => draw(state), Math.max(0, dueMs - performance.now()));
}

function draw(state: State): void {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.isUrgentDue = false;
  if (state.isHidden || state.settling) return;
  noticeSize();
  if (state.settling) return;
  const { drawn, columns, rows, waiting, cursorColumn } = state;
  state.lastMs = performance.now();
  const frame = state.render(columns, rows);
  // The cursor always needs a row.
  const shown = frame.lines.length > 0 ? frame.lines : [""];
  // If not everything fits, show the end and the row of the cursor.
  const first = Math.max(0, Math.min(shown.length - rows, frame.cursor?.row ?? shown.length));
  const lines = shown.slice(first, first + rows).map(state.drawable);
  const { output, row } = diffLines(drawn, [...waiting, ...lines], rows);
  const cursor = frame.cursor && { row: frame.cursor.row - first, column: frame.cursor.column };
  const target = { row: cursor?.row ?? lines.length - 1, column: Math.min(cursor?.column ?? 0, columns - 1) };
  const isSame = output === "" && target.row === drawn.row && target.column === cursorColumn;
  const place = goTo(target.row + waiting.length - row, target.column);
  state.waiting = [];
  state.cursorColumn = target.column;
  state.drawn = { lines, row: target.row };
  if (!isSame) printOut(`${begin}${output}${place}${cursor ? showCursor : ""}${end}`);
  state.costMs = performance.now() - state.lastMs;
}

function hide(state: State): void {
  if (state.isHidden) return;
  stopSettling(state);
  draw(state);
  state.isHidden = true;
  stopSettling(state);
  clearTimeout(state.timer);
  state.timer = undefined;
  erase(state);
  printOut(showCursor);
}

function stopSettling(state: State): void {
  clearTimeout(state.settling);
  state.settling = undefined;
}

function erase(state: State): void {
  const { drawn, cursorColumn } = state;
  if (drawn.lines.length > 0) printOut(eraseDrawn(drawn, cursorColumn, sizeOfTerminal().columns));
  state.drawn = { lines: [], row: 0 };
}

function resized(state: State): void {
  if (state.isHidden) return;
  clearTimeout(state.settling);
  takeSize(state);
  state.settling = setTimeout(() => {
    state.settling = undefined;
    erase(state);
    draw(state);
  }, settleMs);
}

/** Lines are committed for the new size from now on, and those that are not written yet are fitted to it. */
function takeSize(state: State): void {
  Object.assign(state, sizeOfTerminal());
  state.waiting = narrowLines(state.waiting, state.columns);
}
