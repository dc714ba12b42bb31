// The screen below the scrollback: draws frames when something has changed, and again when the window has another size.

import {
  type Drawn,
  drawFrame,
  eraseFrame,
  eraseResized,
  type Frame,
  locate,
  type Screen,
  showCursor,
  takeSize,
  unplace,
  unplaced,
} from "./draw-frame.ts";
import { type DrawnLine, rowsToWrite } from "./picture.ts";
import {
  createReports,
  type Drawable,
  noticeSize,
  printOut,
  sizeOfTerminal,
  type TerminalReports,
} from "./terminal-state.ts";

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
  /** @param isUntouched whether what is above those lines is still there */
  show(isUntouched?: boolean): void;
  /** Clears the screen; the scrollback stays. */
  clear(): void;
  /** Writes an invisible sequence: a title, a bell, text for the clipboard. */
  signal(sequence: string): void;
  /** Takes an answer of the terminal; false if the input is something else. */
  take(typed: string): boolean;
  close(): void;
}

/** How long a window must keep its size before it is drawn, in milliseconds: while it is dragged, the size is stale. */
const settleMs = 60;

/** The initial state of a surface. */
interface Ground extends Pick<State, "drawable" | "link" | "cursorColumn"> {
  /** The lines already drawn, with the cursor in `cursorColumn`. */
  readonly drawn: Drawn;
}

/** Opens the surface. */
export function openSurface(content: Content, ground: Ground): Surface {
  const state: State = {
    content,
    ...ground,
    ...sizeOfTerminal(),
    waiting: [],
    placement: { ...unplaced, bottom: ground.drawn.lines.length - 1 },
    reports: createReports(printOut, (screenRow) => locate(state, ground.drawn.row, screenRow)),
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
    show(isUntouched = false) {
      const { columns, rows } = state;
      state.isHidden = false;
      takeSize(state, sizeOfTerminal());
      if (isUntouched && columns === state.columns && rows === state.rows) return draw(state);
      state.reports.forget();
      unplace(state);
      draw(state);
      askRow(state);
    },
    clear() {
      if (state.isHidden) return;
      // Terminals may keep what they clear.
      draw(state, nothing);
      printOut("\u001b[H\u001b[2J");
      state.reports.forget();
      Object.assign(state, { drawn: { lines: [], row: 0 }, placement: { ...unplaced, origin: 0 } });
      draw(state);
    },
    signal: printOut,
    take: (typed) => state.reports.take(typed),
    close() {
      hide(state);
      process.stdout.off("resize", onResize);
    },
  };
}

function hide(state: State): void {
  if (state.isHidden) return;
  settle(state);
  draw(state, nothing);
  // The size has changed at this moment.
  if (settle(state)) draw(state, nothing);
  state.isHidden = true;
  eraseFrame(state);
  printOut(showCursor);
}

function resized(state: State): void {
  if (state.isHidden) return;
  clearTimeout(state.settling);
  takeSize(state, sizeOfTerminal());
  state.reports.forget();
  state.settling = setTimeout(() => settle(state) && askRow(state), settleMs);
}

/** Draws again after a resize; false if the size has not changed. */
function settle(state: State): boolean {
  if (!state.settling) return false;
  clearTimeout(state.settling);
  state.settling = undefined;
  state.reports.forget();
  eraseResized(state, state.reports.resizeKind());
  draw(state);
  return true;
}

/** Asks for the row of the cursor, to know where the drawn lines are. */
function askRow(state: State): void {
  const row = state.placement.top + state.drawn.row;
  state.reports.askRow((screenRow) => locate(state, row, screenRow));
}

/** Interval between frames that no key has caused, in milliseconds: smooth enough, at a few bytes a second. */
const drawMs = 40;

/** Draws only what is committed. */
const nothing = { render: (): Frame => ({ lines: [] }) };

/** What is drawn. */
interface Content {
  /** Commits the lines that will not change any more. Called before each frame, and not for each change: it may take long. */
  settle(): void;
  /** Returns the lines that change, at most `rows` of them. */
  render(columns: number, rows: number): Frame;
}

/** The state of the surface. */
interface State extends Screen {
  readonly content: Content;
  readonly reports: TerminalReports;
  timer?: NodeJS.Timeout | undefined;
  settling?: NodeJS.Timeout | undefined;
  isUrgentDue: boolean;
  lastMs: number;
  costMs: number;
  isHidden: boolean;
}

/** Draws soon. `isUrgent`: the user has pressed a key. */
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

/** Draws now, unless another program has the terminal or its size is changing. */
function draw(state: State, { render }: Pick<Content, "render"> = state.content): void {
  cancelDraw(state);
  if (state.isHidden || state.settling) return;
  noticeSize();
  if (state.settling) return;
  state.lastMs = performance.now();
  state.content.settle();
  // What that has committed is drawn now.
  cancelDraw(state);
  drawFrame(state, render(state.columns, state.rows));
  state.costMs = performance.now() - state.lastMs;
}

function cancelDraw(state: State): void {
  clearTimeout(state.timer);
  state.timer = undefined;
  state.isUrgentDue = false;
}
