import { printOut } from "../../host/stdout.ts";
import { type DrawnLine, rowsToWrite } from "../../render/visual/picture.ts";
import type { Drawn } from "./diff-lines.ts";
import { eraseFrame, eraseResized, locate, showCursor, takeSize, unplace } from "./draw-frame.ts";
import type { Drawable } from "./drawable.ts";
import { unplaced } from "./placement.ts";
import { type Content, draw, nothing, requestDraw, type State } from "./schedule-draw.ts";
import { createReports } from "./terminal-reports.ts";
import { sizeOfTerminal } from "./terminal-state.ts";

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
export interface Ground extends Pick<State, "drawable" | "link" | "cursorColumn"> {
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
