import { columnsOf } from "../pi-tui/text.ts";
import type { Drawn } from "./diff-lines.ts";
import type { ResizeKind } from "./terminal-reports.ts";

/** A resize, and how the terminal lays its lines out again. */
export interface Resize {
  readonly kind: ResizeKind;
  readonly columns: number;
  readonly rows: number;
  /** Lines below the cursor that the terminal has removed for want of rows. */
  readonly lost: number;
  /** The row of the cursor as the terminal reports it; undefined if it does not. */
  readonly cursorRow: number | undefined;
}

/** Where a resize has moved the drawn lines. */
interface Moved {
  /** Rows from the first one up to the cursor. */
  readonly up: number;
  /** Rows that are in the scrollback now, at least. */
  readonly pushed: number;
}

/** How many rows of the terminal a line takes after a resize. */
export function rowsAfter(line: string, { kind, columns }: Pick<Resize, "kind" | "columns">): number {
  return kind === "cuts" ? 1 : Math.max(1, Math.ceil(columnsOf(line) / columns));
}

/** Finds out where the drawn lines are after a resize, which may push rows out at the top and wraps what is too wide. */
export function movedLines({ lines, row }: Drawn, cursorColumn: number, resize: Resize): Moved {
  const { kind, columns, rows, lost, cursorRow = rows - 1 } = resize;
  const rowsOf = (line: string) => rowsAfter(line, resize);
  const above = lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), 0);
  const line = lines[row] ?? "";
  const kept = lines.slice(row, Math.max(row + 1, lines.length - lost));
  const below =
    kind === "xterm.js"
      ? xtermJsShift(kept, rowsOf)
      : kind === "wraps"
        ? Math.min(Math.floor(cursorColumn / columns), rowsOf(line) - 1)
        : 0;
  const up = above + below;
  return { up, pushed: Math.max(0, up - cursorRow) };
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
