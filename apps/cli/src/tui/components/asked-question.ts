// A question in the transcript, and how much of it has been visible: shortened where it does not fit, and then to be viewed.

import type { RegisteredTool } from "@ikigai/core";
import type { LineOutput } from "../../render/line-output.ts";
import { shortenQuestion } from "../../render/question/render-question.ts";

/** A question on the screen, and how much of it has been visible: a call cannot be approved before its end has been. */
export interface AskedQuestion {
  readonly tool: RegisteredTool;
  /** Whether it is about a call of an agent, not about the one in whose block it is shown. */
  readonly isOfAgent: boolean;
  /** The arguments of the call, if it has not begun. */
  readonly arguments: string | undefined;
  /** All of its rows. */
  rows(columns: number): readonly string[];
  /** The rows to draw where `rows` are available. */
  render(columns: number, rows: number): readonly string[];
  /** The choices are on the screen: from now on, drawn rows count as visible. */
  opened(): void;
  /** The user has viewed its end. */
  viewed(): void;
  /** Whether it did not fit and the user has not viewed the rest. */
  isPartial(): boolean;
  /** Whether its end has been visible. */
  isSeen(): boolean;
}

/** Rows shown at least. */
const minAskedRows = 3;

/** A question of ikigai or of a tool. */
export interface AskedOptions extends Pick<AskedQuestion, "tool" | "isOfAgent" | "arguments"> {
  readonly screen: LineOutput;
  /** How many rows the terminal has now. */
  readonly screenRows: () => number;
  /** All of its rows. */
  readonly render: (screen: LineOutput) => string[];
  /** Called when the question turns out not to fit, or to fit after all, on a larger terminal. */
  readonly changed: () => void;
}

export function askedQuestion({
  tool,
  isOfAgent,
  arguments: args,
  screen,
  screenRows,
  render,
  changed,
}: AskedOptions): AskedQuestion {
  let drawn: { readonly columns: number; readonly rows: readonly string[] } | undefined;
  let isOpen = false;
  let isViewed = false;
  let fits: boolean | undefined;
  let fitsFor = "";
  const rowsFor = (columns: number) => {
    // The style and the signs are getters, which a copy would freeze.
    const { style, signs } = screen;
    if (drawn?.columns !== columns) {
      drawn = { columns, rows: render({ ...screen, style, signs, columns }) };
    }
    return drawn.rows;
  };
  return {
    tool,
    isOfAgent,
    arguments: args,
    rows: rowsFor,
    render(columns, room) {
      const rows = rowsFor(columns);
      const size = `${columns}x${screenRows()}`;
      if (isOpen && (fits !== false || fitsFor !== size)) {
        const isFitting = rows.length <= room;
        // Once it did not fit on this terminal, it must be viewed: there are fewer choices then, which could make room for it.
        if (!isFitting || fits === false) changed();
        fits = isFitting;
        fitsFor = size;
      }
      return rows.length <= room ? rows : shortenQuestion(rows, Math.max(minAskedRows, room), { ...screen, columns });
    },
    opened() {
      isOpen = true;
    },
    viewed() {
      isViewed = true;
    },
    isPartial: () => !isViewed && fits === false,
    isSeen: () => isViewed || fits === true,
  };
}
