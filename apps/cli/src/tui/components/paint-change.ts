// Colours a change as code, with the words that differ.

import {
  type ColourScheme,
  type Colours,
  changedWords,
  codeOf,
  type TextRange,
  type Theme,
  themeWith,
} from "@ikigai/screen";
import type { CodePiece } from "@ikigai/session/export";
import type { PaintChange, ShownLine } from "../../render/call/file-change.ts";
import { type CodePart, codePieces, coloured, maxNewAtOnce, type ToHtml } from "./highlight.ts";

/** Creates what draws changes as in an editor: the language's colours, grounds for whole lines, and marks for changed words. */
export function changePainter(theme: Theme, toHtml: ToHtml): PaintChange {
  const { style } = theme;
  const grounds = changeTheme(theme);
  const plain = { "+": style.green, "-": style.red, " ": same };
  const bold = (text: string, look: (text: string) => string) => style.bold(look(text));
  const marks = { "+": grounds?.addedWord ?? bold, "-": grounds?.removedWord ?? bold, " ": same };
  return (lines, path) => {
    const words = wordsOf(lines);
    const language = path === undefined ? "" : languageOf(path);
    const pieces = (others: "+" | "-") => piecesOfSide(lines, others, (code) => codePieces(toHtml, code, language));
    const [old, now] = [pieces("+"), pieces("-")];
    return lines.map(({ sign, text }, index) => {
      const code = sign === " " ? theme : grounds?.code;
      const read = (sign === "-" ? old : now)?.get(index);
      const own = code && read ? coloured(read, code) : [{ text, look: grounds ? same : plain[sign] }];
      const look = painted(own, words.get(index) ?? [], marks[sign]);
      if (sign === " ") return { look, marginLook: style.dim };
      const ground = sign === "+" ? grounds?.added : grounds?.removed;
      return { look, ...(ground ? { ground } : { marginLook: plain[sign] }) };
    });
  };
}

const same = (text: string) => text;

/** The pieces of the first lines of one side, by their index; undefined for an unknown language. */
function piecesOfSide(
  lines: readonly ShownLine[],
  others: "+" | "-",
  read: (code: string) => readonly (readonly CodePiece[])[] | undefined,
): ReadonlyMap<number, readonly CodePiece[]> | undefined {
  let length = 0;
  const own = lines.map((line, index) => ({ ...line, index })).filter(({ sign }) => sign !== others);
  const taken = own.filter(({ text }) => {
    length += text.length + 1;
    return length <= maxNewAtOnce;
  });
  const pieces = read(taken.map(({ text }) => text).join("\n"));
  return pieces && new Map(taken.map(({ index }, at) => [index, pieces[at] ?? []]));
}

/** The changed words of each line that replaces another one. */
export function wordsOf(lines: readonly ShownLine[]): ReadonlyMap<number, readonly TextRange[]> {
  const words = new Map<number, readonly TextRange[]>();
  for (let start = 0; start < lines.length; start++) {
    const removed = countFrom(lines, start, "-");
    const added = countFrom(lines, start + removed, "+");
    for (let index = start; index < start + Math.min(removed, added); index++) {
      const found = changedWords(lines[index]?.text ?? "", lines[index + removed]?.text ?? "");
      words.set(index, found?.before ?? []).set(index + removed, found?.after ?? []);
    }
    start += removed + added;
  }
  return words;
}

function countFrom(lines: readonly ShownLine[], start: number, sign: ShownLine["sign"]): number {
  const end = lines.findIndex((line, index) => index >= start && line.sign !== sign);
  return (end < 0 ? lines.length : end) - start;
}

/** Looks of a text in parts, of which some ranges are marked. */
function painted(
  parts: readonly CodePart[],
  ranges: readonly TextRange[],
  mark: (text: string, look: CodePart["look"]) => string,
) {
  return (row: string, start: number): string => {
    let drawn = "";
    let at = 0;
    for (const { text, look } of parts) {
      for (const cut of cuts(at, at + text.length, ranges)) {
        const from = Math.max(cut.start, start);
        const piece = row.slice(from - start, Math.max(0, cut.end - start));
        if (cut.end > from && piece !== "") drawn += cut.isMarked ? mark(piece, look) : look(piece);
      }
      at += text.length;
    }
    return drawn;
  };
}

/** A range in pieces that are marked as a whole or not at all. */
export function* cuts(start: number, end: number, ranges: readonly TextRange[]) {
  let at = start;
  for (const range of ranges) {
    if (range.end <= at || range.start >= end) continue;
    if (range.start > at) yield { start: at, end: range.start, isMarked: false };
    const from = Math.max(at, range.start);
    at = Math.min(end, range.end);
    yield { start: from, end: at, isMarked: true };
  }
  if (at < end) yield { start: at, end, isMarked: false };
}

/** The highlighter's name of the language, which knows the usual endings of files. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name.slice(name.lastIndexOf(".") + 1);
}

/** How changed lines are drawn on grounds of their own. */
interface ChangeTheme {
  /** The colours of code on these grounds. */
  readonly code: Theme;
  /** Draws a row that was added or removed; it may have colours, and words with grounds of their own. */
  readonly added: (row: string) => string;
  readonly removed: (row: string) => string;
  /** Draws changed words. */
  readonly addedWord: (words: string) => string;
  readonly removedWord: (words: string) => string;
}

/** Text on these grounds. The terminal's own colours may not be readable there. Exported for the test of the contrast. */
export const textOnGrounds: Readonly<Record<ColourScheme, Partial<Colours> & Pick<Colours, "text">>> = {
  dark: {
    ...{ text: "#ffffff", dim: "#d0d0d0", red: "#ffafaf", green: "#afffaf", yellow: "#ffff87", cyan: "#afffff" },
    ...{ magenta: "#ffafff", blue: "#afd7ff" },
  },
  light: {
    ...{ text: "#000000", dim: "#444444", red: "#870000", green: "#005f00", yellow: "#5f5f00", cyan: "#005f5f" },
    ...{ magenta: "#5f005f", blue: "#00005f" },
  },
};

/** Undefined if the theme has only the terminal's 16 colours. */
function changeTheme({ scheme = "dark", grounds }: Theme): ChangeTheme | undefined {
  if (!grounds) return undefined;
  const colours = textOnGrounds[scheme];
  const draw = (ground: string) => {
    const on = `\u001b[${codeOf(ground, 48, false)};${codeOf(colours.text, 38, false)}m`;
    // What is inside ends its own colours with these, which must not end the ground.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
    return (row: string) => `${on}${row.replaceAll(/\u001b\[(?:39|49|39;49)m/g, on)}\u001b[39;49m`;
  };
  return {
    code: themeWith(scheme, colours, false),
    added: draw(grounds.added),
    removed: draw(grounds.removed),
    addedWord: draw(grounds.addedWord),
    removedWord: draw(grounds.removedWord),
  };
}
