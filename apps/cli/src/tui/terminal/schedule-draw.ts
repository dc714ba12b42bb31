import type { Frame } from "../pi-tui/editor.ts";
import { drawFrame, type Screen } from "./draw-frame.ts";
import type { TerminalReports } from "./terminal-reports.ts";
import { noticeSize } from "./terminal-state.ts";

/** Interval between frames that no key has caused, in milliseconds: smooth enough, at a few bytes a second. */
const drawMs = 40;

/** Draws only what is committed. */
export const nothing = { render: (): Frame => ({ lines: [] }) };

/** What is drawn. */
export interface Content {
  /** Commits the lines that will not change any more. Called before each frame, and not for each change: it may take long. */
  settle(): void;
  /** Returns the lines that change, at most `rows` of them. */
  render(columns: number, rows: number): Frame;
}

/** The state of the surface. */
export interface State extends Screen {
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
export function requestDraw(state: State, isUrgent: boolean): void {
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
export function draw(state: State, { render }: Pick<Content, "render"> = state.content): void {
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
