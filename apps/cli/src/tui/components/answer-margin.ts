import { wrapMarks } from "../pi-tui/text.ts";

/** Columns of the margin. */
export const marginColumns = 2;

const indentation = " ".repeat(marginColumns);

/** Sets an answer off from what tools print: a sign before its first line, an indentation before the others. */
export interface AnswerMargin {
  /** Adds it to lines that may still change. */
  draw(lines: readonly string[]): string[];
  /** Adds it to lines that do not change any more. */
  settle(lines: readonly string[]): string[];
}

export function answerMargin(sign: () => string): AnswerMargin {
  let isBegun = false;
  const draw = (lines: readonly string[]) => {
    const first = isBegun ? -1 : lines.findIndex((line) => line !== "");
    return lines.map((line, index) => withMargin(line, index === first ? sign().padEnd(marginColumns) : indentation));
  };
  return {
    draw,
    settle(lines) {
      const drawn = draw(lines);
      isBegun ||= drawn.some((line) => line !== "");
      return drawn;
    },
  };
}

/** A row that the terminal wraps continues at the left edge. */
function withMargin(line: string, margin: string): string {
  if (line === "" || line.startsWith(wrapMarks.next)) return line;
  const { first } = wrapMarks;
  return line.startsWith(first) ? `${first}${margin}${line.slice(first.length)}` : `${margin}${line}`;
}
