import type { Places, Question } from "@ikigai/agent/internal";
import type { LineOutput } from "../../render/line-output.ts";
import { renderQuestion, shortenQuestion } from "../../render/render-question.ts";

/** A question on the screen, and how much of it has been there: what has not been seen to its end cannot be approved. */
export interface AskedQuestion {
  readonly question: Question;
  /** All of its rows. */
  rows(columns: number): readonly string[];
  /** What is drawn of it where there are so many rows. */
  render(columns: number, rows: number): readonly string[];
  /** The choices are on the screen: from now on what is drawn counts. */
  opened(): void;
  /** Somebody has looked at the end of it. */
  viewed(): void;
  /** Whether there is no room for all of it, and nobody has looked at the rest. */
  isPartial(): boolean;
  /** Whether it has been seen to its end. */
  isSeen(): boolean;
}

/** The fewest rows that show anything of it. */
const minRows = 3;

/** @param changed is called when it turns out that there is no room for all of it. */
export function askedQuestion(
  question: Question,
  places: Places,
  screen: LineOutput,
  changed: () => void,
): AskedQuestion {
  let drawn: { readonly columns: number; readonly rows: readonly string[] } | undefined;
  let isOpen = false;
  let isViewed = false;
  let fits: boolean | undefined;
  const rowsFor = (columns: number) => {
    // The style and the signs are getters, which a copy would freeze.
    const { style, signs } = screen;
    if (drawn?.columns !== columns) {
      drawn = { columns, rows: renderQuestion(question, places, { ...screen, style, signs, columns }) };
    }
    return drawn.rows;
  };
  return {
    question,
    rows: rowsFor,
    render(columns, room) {
      const rows = rowsFor(columns);
      if (isOpen && fits !== false) {
        fits = rows.length <= room;
        // Once it did not fit it has to be looked at: the choices are fewer then, and would make room for it.
        if (!fits) changed();
      }
      return rows.length <= room ? rows : shortenQuestion(rows, Math.max(minRows, room), { ...screen, columns });
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
