import { sanitiseLine } from "../../render/sanitise.ts";
import { characterOf, isKey, type KeyName } from "../pi-tui/keys.ts";
import { columnsOf, wrapStyled } from "../pi-tui/text.ts";
import type { Dialog } from "./dialog.ts";

/** A line that is being typed: the text before and after the cursor. */
interface Line {
  readonly before: string;
  readonly after: string;
}

interface LineQuestion {
  /** What the line follows. */
  readonly question: string;
  /** The text to start with. */
  readonly initial: string;
  /** Our own text above the question. */
  readonly hint?: string;
  /** It may open while the user is typing. */
  readonly isSudden?: boolean;
}

/** Asks for a line of text; undefined if the user cancels. */
export function lineDialog(
  { question, initial, hint = "", isSudden = false }: LineQuestion,
  settle: (answer: string | undefined) => void,
): Dialog {
  let line: Line = { before: initial, after: "" };
  return {
    isSudden,
    render(columns) {
      const before = `${question}${sanitiseLine(line.before)}`;
      // The space is for the cursor at the end.
      const lines = inRows(`${before}${sanitiseLine(line.after)} `, columns);
      const rows = inRows(`${before} `, columns);
      const above = hint === "" ? [] : wrapStyled(hint, columns);
      const row = above.length + rows.length - 1;
      return { lines: [...above, ...lines], cursor: { row, column: columnsOf(rows.at(-1) ?? "") - 1 } };
    },
    key(typed) {
      if (isKey(typed, "escape", "ctrl+d")) return settle(undefined);
      if (isKey(typed, "enter")) return settle(line.before + line.after);
      line = written(line, typed);
    },
    paste(pasted) {
      line = { ...line, before: line.before + pasted.replace(/\s+/g, " ") };
    },
    cancel: () => settle(undefined),
  };
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

/** Keys that move the cursor or delete text after it. */
const edits: readonly { readonly keys: readonly KeyName[]; readonly edit: (line: Line) => Line }[] = [
  { keys: ["left", "ctrl+b"], edit: (line) => withCursorAt(line, line.before.length - lastLength(line.before)) },
  { keys: ["right", "ctrl+f"], edit: (line) => withCursorAt(line, line.before.length + firstLength(line.after)) },
  { keys: ["home", "ctrl+a"], edit: (line) => withCursorAt(line, 0) },
  { keys: ["end", "ctrl+e"], edit: (line) => withCursorAt(line, Number.POSITIVE_INFINITY) },
  { keys: ["alt+left", "alt+b"], edit: (line) => withCursorAt(line, line.before.search(lastWord)) },
  {
    keys: ["alt+right", "alt+f"],
    edit: (line) => withCursorAt(line, line.before.length + firstWordLength(line.after)),
  },
  { keys: ["delete"], edit: ({ before, after }) => ({ before, after: after.slice(firstLength(after)) }) },
  { keys: ["ctrl+k"], edit: ({ before }) => ({ before, after: "" }) },
];

const lastWord = /\S*\s*$/;

function written(line: Line, typed: string): Line {
  const known = edits.find(({ keys }) => isKey(typed, ...keys));
  return known ? known.edit(line) : { ...line, before: edited(line.before, typed) };
}

function withCursorAt({ before, after }: Line, at: number): Line {
  const text = before + after;
  return { before: text.slice(0, at), after: text.slice(at) };
}

function lastLength(text: string): number {
  return charactersOf(text).at(-1)?.length ?? 0;
}

function firstLength(text: string): number {
  return charactersOf(text)[0]?.length ?? 0;
}

function firstWordLength(text: string): number {
  return text.length - text.trimStart().replace(/^\S+/, "").length;
}

/** The grapheme clusters of a text: an accent belongs to its letter, a part of an emoji to the emoji. */
function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Applies a key to a text with the cursor at its end. */
export function edited(text: string, typed: string): string {
  if (isKey(typed, "ctrl+u")) return "";
  if (isKey(typed, "ctrl+w", "alt+backspace")) return text.replace(lastWord, "");
  if (isKey(typed, "backspace", "ctrl+h")) return text.slice(0, text.length - lastLength(text));
  return text + (characterOf(typed) ?? "");
}
