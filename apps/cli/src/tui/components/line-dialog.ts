import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import { isKey, type KeyName } from "../pi-tui/keys.ts";
import { columnsOf, wrapStyled } from "../pi-tui/text.ts";
import type { Dialog } from "./dialog.ts";
import { charactersOf, inserted, type Line, written } from "./edit-line.ts";

interface LineQuestion {
  /** What the line follows. */
  readonly question: string;
  /** The text to start with. */
  readonly initial: string;
  /** Our own text above the question. */
  readonly hint?: string;
  /** Who asks, if the user has not opened it. */
  readonly asker?: string | undefined;
  /** Set for a text that may have several lines. */
  readonly lines?: SeveralLines | undefined;
  /** Called with the text if the user cancels. */
  readonly left?: ((text: string) => void) | undefined;
}

/** What a text of several lines needs. */
export interface SeveralLines {
  /** Keys that begin a new line. */
  readonly newLine: readonly KeyName[];
  /** Keys that open the text in the user's editor. */
  readonly edit: readonly KeyName[];
  /** Opens it there; undefined if it is not saved. The screen is drawn again afterwards. */
  readonly openEditor: (text: string) => Promise<string | undefined>;
  /** Begins a row that continues a line. */
  readonly wrapped: string;
}

/** Asks for a line of text, or several; undefined if the user cancels. */
export function lineDialog(
  { question, initial, hint = "", asker, lines, left }: LineQuestion,
  settle: (answer: string | undefined) => void,
): Dialog {
  let line: Line = { before: initial, after: "" };
  let isElsewhere = false;
  const openEditor = async ({ openEditor: open }: SeveralLines) => {
    isElsewhere = true;
    const changed = await open(line.before + line.after);
    isElsewhere = false;
    if (changed !== undefined) line = { before: changed, after: "" };
  };
  return {
    asker,
    keepsAbove: asker !== undefined,
    render(columns) {
      const above = hint === "" ? [] : wrapStyled(hint, columns);
      const { rows, cursor } = layOut(line, question, columns, lines?.wrapped ?? "");
      return { lines: [...above, ...rows], cursor: { ...cursor, row: above.length + cursor.row } };
    },
    key(typed) {
      if (isElsewhere) return;
      if (lines && isKey(typed, ...lines.edit)) return void openEditor(lines);
      if (isKey(typed, "escape", "ctrl+d")) {
        left?.(line.before + line.after);
        return settle(undefined);
      }
      // Ctrl-J is Enter in some terminals.
      if (lines && isKey(typed, ...lines.newLine)) line = inserted(line, "\n");
      else if (isKey(typed, "enter")) settle(line.before + line.after);
      else line = written(line, typed);
    },
    paste(pasted) {
      line = inserted(line, lines ? pasted.replace(/\r\n?/g, "\n") : pasted.replace(/\s+/g, " "));
    },
    cancel: () => settle(undefined),
  };
}

/** The user approves what they edit, so every character is visible. */
const shown = (text: string) => sanitiseStrictly(sanitiseLine(text));

/** One line follows the question; several are below it, and only the rows that continue one have a mark. */
function layOut({ before, after }: Line, question: string, columns: number, wrapped: string) {
  const beforeCursor = before.split("\n");
  const texts = (before + after).split("\n");
  const isLong = texts.length > 1;
  const first = isLong ? "" : question;
  const margins = isLong ? ["  ", `${wrapped} `] : ["", ""];
  const room = Math.max(1, columns - columnsOf(margins[0] ?? ""));
  const rows = isLong ? [question.trimEnd()] : [];
  let cursor = { row: 0, column: 0 };
  for (const [index, text] of texts.entries()) {
    if (index === beforeCursor.length - 1) {
      const start = beforeCursor[index] ?? "";
      // The space is for the cursor at the end.
      const until = inRows(`${first}${shown(start)} `, room);
      const column = columnsOf(`${margins[0]}${until.at(-1)}`) - 1;
      cursor = { row: rows.length + until.length - 1, column };
      rows.push(...withMargin(inRows(`${first}${shown(start)}${shown(text.slice(start.length))} `, room), margins));
    } else rows.push(...withMargin(inRows(shown(text), room), margins));
  }
  return { rows, cursor };
}

function withMargin(rows: readonly string[], [margin = "", continuation = ""]: readonly string[]): string[] {
  return rows.map((row, index) => `${index === 0 ? margin : continuation}${row}`);
}

/** Splits text into full rows, so that a position does not depend on the text after it. */
function inRows(text: string, columns: number): string[] {
  const rows = [""];
  let used = 0;
  for (const character of charactersOf(text)) {
    const width = columnsOf(character);
    if (used + width > columns) {
      rows.push("");
      used = 0;
    }
    rows[rows.length - 1] += character;
    used += width;
  }
  return rows;
}
