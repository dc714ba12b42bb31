// The dialogs that take a line of text or one item of a list, and the line editor that all dialogs share.

import type { Frame } from "./draw-frame.ts";
import { characterOf, isKey, type KeyName } from "./keys.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";
import { cutStyled, rankMatches, styledWidth, wrapStyled } from "./styled-text.ts";
import type { Skin } from "./theme.ts";

/** Shown instead of the editor while it has the focus. */
export interface Dialog {
  /** Who waits for the answer, if the user has not opened it: our own text, sanitised. What it is about is above it. */
  readonly asker?: string | undefined;
  /** What is above it belongs to it, so it must not cover that. */
  readonly keepsAbove?: boolean | undefined;
  render(columns: number, rows: number): Frame;
  key(typed: string): void;
  paste?(text: string): void;
  /** Whether Shift-Tab answers it, and does not leave it. */
  takesShiftTab?(): boolean;
  /** The permission mode has changed. */
  modeChanged?(): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}

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
  const room = Math.max(1, columns - styledWidth(margins[0] ?? ""));
  const rows = isLong ? [question.trimEnd()] : [];
  let cursor = { row: 0, column: 0 };
  for (const [index, text] of texts.entries()) {
    if (index === beforeCursor.length - 1) {
      const start = beforeCursor[index] ?? "";
      // The space is for the cursor at the end.
      const until = fullRows(`${first}${shown(start)} `, room);
      const column = styledWidth(`${margins[0]}${until.at(-1)}`) - 1;
      cursor = { row: rows.length + until.length - 1, column };
      rows.push(...withMargin(fullRows(`${first}${shown(start)}${shown(text.slice(start.length))} `, room), margins));
    } else rows.push(...withMargin(fullRows(shown(text), room), margins));
  }
  return { rows, cursor };
}

function withMargin(rows: readonly string[], [margin = "", continuation = ""]: readonly string[]): string[] {
  return rows.map((row, index) => `${index === 0 ? margin : continuation}${row}`);
}

/** Splits text into full rows, so that a position does not depend on the text after it. */
function fullRows(text: string, columns: number): string[] {
  const rows = [""];
  let used = 0;
  for (const character of charactersOf(text)) {
    const width = styledWidth(character);
    if (used + width > columns) {
      rows.push("");
      used = 0;
    }
    rows[rows.length - 1] += character;
    used += width;
  }
  return rows;
}

/** An entry of a list. All texts are sanitised and have no line breaks. */
export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly remark?: string;
}

export interface PickOptions<Value> {
  readonly title: string;
  readonly choices: readonly Choice<Value>[];
  /** Who asks, if the user has not opened it. */
  readonly asker?: string;
  /** What is above it belongs to it. */
  readonly keepsAbove?: boolean;
  /** Index of the entry selected first. */
  readonly selected?: number;
  /** Shown when there are no choices at all; by default, as when none matches. */
  readonly empty?: string;
  /** Shown when no choice matches the filter. */
  readonly noMatch?: string;
  /** The initial filter. */
  readonly filter?: string;
  /** The keys on the last line, if not the default ones. */
  readonly keys?: string;
  /** Handles a key before the list does; true if it did. */
  readonly onKey?: (typed: string, value: Value | undefined) => boolean;
}

const maxShown = 10;

/** Lets the user choose with the arrows or by typing part of an entry; undefined if they cancel. */
export function pickDialog<Value>(
  options: PickOptions<Value>,
  look: () => Skin,
  settle: (answer: Value | undefined) => void,
): Dialog {
  let filter = options.filter ?? "";
  let selected = options.selected ?? 0;
  let found = matchingChoices(options.choices, filter);
  return {
    asker: options.asker,
    keepsAbove: options.keepsAbove ?? options.asker !== undefined,
    render: (columns, rows) => renderPicker(look(), options, { filter, selected, found }, columns, rows),
    key(typed) {
      if (options.onKey?.(typed, found[selected]?.value)) return;
      if (isKey(typed, "escape")) return settle(undefined);
      if (isKey(typed, "enter", "tab")) return found.length > 0 ? settle(found[selected]?.value) : undefined;
      if (isKey(typed, "up", "ctrl+p")) return move(-1);
      if (isKey(typed, "down", "ctrl+n")) return move(1);
      if (isKey(typed, "pageUp")) return move(-maxShown);
      if (isKey(typed, "pageDown")) return move(maxShown);
      write(edited(filter, typed));
    },
    paste: (text) => write(filter + [...text].filter((character) => characterOf(character)).join("")),
    cancel: () => settle(undefined),
  };

  function move(by: number): void {
    selected = Math.max(0, Math.min(found.length - 1, selected + by));
  }

  function write(text: string): void {
    if (text === filter) return;
    filter = text;
    found = matchingChoices(options.choices, filter);
    selected = 0;
  }
}

/** The entries that match a filter, the best ones first. */
export function matchingChoices<Value>(choices: readonly Choice<Value>[], filter: string): readonly Choice<Value>[] {
  return rankMatches(choices, filter, ({ label, remark = "" }) => `${label} ${remark}`);
}

interface Picking<Value> {
  readonly filter: string;
  readonly selected: number;
  readonly found: readonly Choice<Value>[];
}

function renderPicker<Value>(
  { theme, signs }: Skin,
  { title, choices, noMatch = "No matches.", empty = noMatch, keys }: PickOptions<Value>,
  { filter, selected, found }: Picking<Value>,
  columns: number,
  rows: number,
): Frame {
  const { style } = theme;
  const room = Math.max(1, Math.min(maxShown, rows - 4));
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), found.length - room));
  const shown = found.slice(first, first + room);
  const width = Math.min(Math.max(0, ...shown.map(({ label }) => styledWidth(label))), Math.floor(columns * 0.7));
  const entries = shown.map(({ label, remark }, index) => {
    const isSelected = first + index === selected;
    const name = cutStyled(label, width, signs.cut);
    const gap = " ".repeat(Math.max(0, width - styledWidth(name)) + 2);
    const line = `${isSelected ? signs.prompt : " "} ${isSelected ? theme.selected(name) : name}${remark ? gap + style.dim(remark) : ""}`;
    return cutStyled(line, columns, signs.cut);
  });
  const question = `${style.bold(title)}  ${filter}`;
  const count = found.length > room ? `${selected + 1} of ${found.length}` : "";
  const help = [count, keys ?? "enter selects, esc cancels, type to filter"].filter(Boolean).join(` ${signs.dot} `);
  return {
    lines: [
      cutStyled(question, columns, signs.cut),
      ...(entries.length > 0 ? entries : [style.dim(`  ${choices.length > 0 ? noMatch : empty}`)]),
      cutStyled(style.dim(help), columns, signs.cut),
    ],
    cursor: { row: 0, column: styledWidth(`${title}  ${filter}`) },
  };
}

/** A text that is being typed: what is before and after the cursor. */
interface Line {
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
function written(line: Line, typed: string): Line {
  const known = edits.find(({ keys }) => isKey(typed, ...keys));
  return known ? known.edit(line) : { ...line, before: edited(line.before, typed) };
}

/** Inserts a text at the cursor. */
function inserted({ before, after }: Line, text: string): Line {
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
  const column = styledWidth(line.before.slice(startOf(line)));
  const target = withCursorAt(line, place);
  let at = startOf(target);
  for (const character of charactersOf(text.slice(at, endOf(target)))) {
    if (styledWidth(text.slice(startOf(target), at) + character) > column) break;
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
