import { sanitiseLine } from "../../render/sanitise.ts";
import { characterOf, isKey, type KeyName } from "../pi-tui/keys.ts";
import { columnsOf } from "../pi-tui/text.ts";
import type { Dialog } from "./dialog.ts";

/** A line that is being written: what stands before the cursor, and what behind it. */
interface Line {
  readonly before: string;
  readonly after: string;
}

/** Asks for a line of text; undefined when the user does not want to give one. */
export function lineDialog(question: string, initial: string, settle: (answer: string | undefined) => void): Dialog {
  let line: Line = { before: initial, after: "" };
  return {
    render(columns) {
      const before = `${question}${sanitiseLine(line.before)}`;
      // The space is where the cursor is at the end.
      const lines = inRows(`${before}${sanitiseLine(line.after)} `, columns);
      const rows = inRows(`${before} `, columns);
      return { lines, cursor: { row: rows.length - 1, column: columnsOf(rows.at(-1) ?? "") - 1 } };
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

/** All of it, in rows that are full: what is before a place in a row does not depend on what is behind it. */
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

/** What keys do that do not write at the cursor. */
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

/** As people count them: an accent or a part of an emoji is none of its own. */
function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** What a key makes of a text that is written at its end. */
export function edited(text: string, typed: string): string {
  if (isKey(typed, "ctrl+u")) return "";
  if (isKey(typed, "ctrl+w", "alt+backspace")) return text.replace(lastWord, "");
  if (isKey(typed, "backspace", "ctrl+h")) return text.slice(0, text.length - lastLength(text));
  return text + (characterOf(typed) ?? "");
}
