import { characterOf, isKey, type KeyName } from "../pi-tui/keys.ts";
import { columnsOf } from "../pi-tui/text.ts";

/** A text that is being typed: what is before and after the cursor. */
export interface Line {
  readonly before: string;
  readonly after: string;
}

const newline = "\n";

/** Keys that move the cursor or delete text after it. Those about a line keep to the one with the cursor. */
const edits: readonly { readonly keys: readonly KeyName[]; readonly edit: (line: Line) => Line }[] = [
  { keys: ["left", "ctrl+b"], edit: (line) => withCursorAt(line, line.before.length - lastLength(line.before)) },
  { keys: ["right", "ctrl+f"], edit: (line) => withCursorAt(line, line.before.length + firstLength(line.after)) },
  { keys: ["home", "ctrl+a"], edit: (line) => withCursorAt(line, startOf(line)) },
  { keys: ["end", "ctrl+e"], edit: (line) => withCursorAt(line, endOf(line)) },
  { keys: ["up"], edit: (line) => withCursorBelow(line, startOf(line) - 1) },
  { keys: ["down"], edit: (line) => withCursorBelow(line, endOf(line) + 1) },
  { keys: ["alt+left", "alt+b"], edit: (line) => withCursorAt(line, line.before.search(lastWord)) },
  {
    keys: ["alt+right", "alt+f"],
    edit: (line) => withCursorAt(line, line.before.length + firstWordLength(line.after)),
  },
  { keys: ["delete"], edit: ({ before, after }) => ({ before, after: after.slice(firstLength(after)) }) },
  { keys: ["ctrl+k"], edit: toLineEnd },
  { keys: ["ctrl+u"], edit: (line) => ({ ...line, before: line.before.slice(0, startOf(line)) }) },
];

const lastWord = /\S*\s*$/;

/** Applies a key to a text. */
export function written(line: Line, typed: string): Line {
  const known = edits.find(({ keys }) => isKey(typed, ...keys));
  return known ? known.edit(line) : { ...line, before: edited(line.before, typed) };
}

/** Inserts a text at the cursor. */
export function inserted({ before, after }: Line, text: string): Line {
  return { before: before + text, after };
}

function withCursorAt({ before, after }: Line, at: number): Line {
  const text = before + after;
  return { before: text.slice(0, at), after: text.slice(at) };
}

/** Where the line with the cursor starts in the whole text. */
function startOf({ before }: Line): number {
  return before.lastIndexOf(newline) + 1;
}

/** Where it ends. */
function endOf({ before, after }: Line): number {
  const end = after.indexOf(newline);
  return before.length + (end < 0 ? after.length : end);
}

/** Moves the cursor to the same column of the line that a place in the text is in; at the first and the last line, nowhere. */
function withCursorBelow(line: Line, place: number): Line {
  const text = line.before + line.after;
  if (place < 0 || place > text.length) return line;
  const column = columnsOf(line.before.slice(startOf(line)));
  const target = withCursorAt(line, place);
  let at = startOf(target);
  for (const character of charactersOf(text.slice(at, endOf(target)))) {
    if (columnsOf(text.slice(startOf(target), at) + character) > column) break;
    at += character.length;
  }
  return withCursorAt(line, at);
}

/** At the end of its line, the next line is joined to it. */
function toLineEnd(line: Line): Line {
  const rest = endOf(line) - line.before.length;
  return { ...line, after: line.after.slice(Math.max(rest, line.after.startsWith(newline) ? 1 : 0)) };
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
export function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Applies a key to a text with the cursor at its end. */
export function edited(text: string, typed: string): string {
  if (isKey(typed, "ctrl+u")) return "";
  if (isKey(typed, "ctrl+w", "alt+backspace")) return text.replace(lastWord, "");
  if (isKey(typed, "backspace", "ctrl+h")) return text.slice(0, text.length - lastLength(text));
  return text + (characterOf(typed) ?? "");
}
