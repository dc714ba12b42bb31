// Text with styles: wrapped, indented and cut without breaking an escape sequence; and the order of matches of a search.

import { fuzzyMatch, sliceByColumn, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** How much is measured and wrapped at once, in UTF-16 units: the time for it grows with the square, because Node's segmenter works so. */
const pieceLength = 1_000;

/** The width of a one-line text in columns, without its colours. */
export function styledWidth(text: string): number {
  let [columns, at, length] = [0, 0, pieceLength];
  while (text.length - at > 2 * length) {
    const end = pieceEnd(text, at, at + length);
    if (end === at) length *= 2;
    else {
      columns += visibleWidth(text.slice(at, end));
      [at, length] = [end, pieceLength];
    }
  }
  return columns + visibleWidth(at === 0 ? text : text.slice(at));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of styles and links
const looks = /\u001b\[[\d;]*m|\u001b\]8;;[^\u0007\u001b]*\u001b\\/g;
const look = new RegExp(looks.source, "y");

/** A line without its styles and links. */
export function plainText(line: string): string {
  return line.replace(looks, "");
}

/** A line from a column on, with the styles that hold there. */
export function fromColumn(line: string, column: number): string {
  return sliceByColumn(line, column, Number.MAX_SAFE_INTEGER);
}

/** Wraps a text with colours, between words if possible. */
export function wrapStyled(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  return inPieces(text, width, visibleEnd, (piece) => wrapTextWithAnsi(piece, width)).map((row) => row.trimEnd());
}

/** Divides a long text into rows piece by piece. Each piece begins with the last row of the one before. */
function inPieces(
  text: string,
  width: number,
  endOf: typeof pieceEnd,
  toRows: (piece: string, isFirst: boolean) => string[],
): string[] {
  const usual = Math.max(pieceLength, 4 * width);
  const rows: string[] = [];
  let [at, begun, length] = [0, "", usual];
  while (text.length - at > 2 * length) {
    const end = endOf(text, at, at + length);
    const wrapped = toRows(begun + text.slice(at, end), rows.length === 0);
    const last = wrapped.pop() ?? "";
    if (end === at || (wrapped.length === 0 && last.length > begun.length)) length *= 2;
    else {
      for (const row of wrapped) rows.push(row);
      [at, begun, length] = [end, last, usual];
    }
  }
  for (const row of toRows(begun + text.slice(at), rows.length === 0)) rows.push(row);
  return rows;
}

/** Where a piece can end: not in a character or a sequence. At `from` if nowhere. */
function pieceEnd(text: string, from: number, wanted: number): number {
  const end = characterEnd(text, from, wanted);
  const piece = text.slice(from, end);
  const last = piece.lastIndexOf("\u001b");
  // The end of a link is an escape character, too.
  for (const start of [last, piece.lastIndexOf("\u001b", last - 1)]) {
    look.lastIndex = from + start;
    if (start >= 0 && look.test(text) && look.lastIndex > end) return from + start;
  }
  return end;
}

const characters = new Intl.Segmenter();

/** The last place between two characters, at most `wanted`. A character may be an emoji of several letters, or one with marks. */
function characterEnd(text: string, from: number, wanted: number): number {
  // What begins a character is known from the letter behind it, of at most two units.
  const { index = 0 } = characters.segment(text.slice(from, wanted + 2)).containing(wanted - from) ?? {};
  if (index > 0) return from + index;
  return /[\ud800-\udbff]/.test(text.charAt(wanted - 1)) ? wanted - 1 : wanted;
}

/** As `pieceEnd`, and in white space, of which the end would be lost there, only if most of the piece is white space that continues. */
function visibleEnd(text: string, from: number, wanted: number): number {
  const end = pieceEnd(text, from, wanted);
  let visible = end;
  while (visible > from && /\s/.test(text.charAt(visible - 1))) visible--;
  if (2 * (visible - from) >= end - from) return visible;
  return /\s/.test(text.charAt(end)) ? end : end - 1;
}

/** The beginning of a text with styles, at most `length` UTF-16 units, without half a sequence. */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, pieceEnd(text, 0, length));
}

/** Begins a line that the terminal is to wrap, and each row that continues it. Both only reset the style. */
export const wrapMarks = { first: "\u001b[0m", next: "\u001b[00m" } as const;

/**
 * Cuts a line into full rows, marked for `repaint`, which lets the terminal wrap them.
 *
 * @param margin columns to leave free in the first row
 */
export function inFullRows(line: string, columns: number, margin: number): string[] {
  if (styledWidth(line) + margin <= columns) return [line];
  const rows = inPieces(line, columns, pieceEnd, (piece, isFirst) => fullRows(piece, columns, isFirst ? margin : 0));
  return rows.map((row, index) => (index === 0 ? wrapMarks.first : wrapMarks.next) + row);
}

function fullRows(text: string, columns: number, margin: number): string[] {
  const rows: string[] = [];
  let [rest, styles] = [text, ""];
  let left = styledWidth(text);
  while (left > 0) {
    const room = rows.length === 0 ? columns - margin : columns;
    // A wide letter that does not fit goes into the next row, and is left out if it does not fit there either.
    const row = sliceByColumn(rest, 0, room, true);
    const taken = room === columns && styledWidth(row) === 0 ? sliceByColumn(rest, 0, 1) : row;
    rows.push(withLastStyles(styles + row));
    styles = looksAtEnd(styles + row);
    rest = rest.slice(taken.length);
    left -= styledWidth(taken);
    // Parts of a character that a sequence divides have another width than together.
    if (left <= 0 || rest === "") left = styledWidth(rest);
  }
  return [...rows.slice(0, -1), (rows.at(-1) ?? "") + rest];
}

/** The styles and the link that hold at the end of a text. */
function looksAtEnd(text: string): string {
  const all = text.match(looks) ?? [];
  const link = all.findLast((each) => each.startsWith("\u001b]")) ?? "";
  const styles = all.filter((each) => !each.startsWith("\u001b]")).join("");
  return withLastStyles(styles) + (link.startsWith("\u001b]8;;\u001b") ? "" : link);
}

/** Wraps each line separately; continuation rows are indented. */
export function wrapHanging(text: string, columns: number, indent: number): string[] {
  return text.split("\n").flatMap((line) => {
    if (styledWidth(line) <= columns) return [line];
    const [first = "", ...rest] = wrapStyled(line, columns - indent);
    return [first, ...rest.map((row) => " ".repeat(indent) + row)];
  });
}

/** Color codes, then indentation, a bullet, a number or a mark. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: color codes are what it looks for.
const beginning = /^((?:\u001b\[[\d;]*m)*)( *(?:(?:[-*•!~]|\d+\.) +)?)/;

/** Wraps a line; continuation rows begin below its text, after its indentation, bullet, number or mark. */
export function wrapBelowText(line: string, columns: number): string[] {
  const [all = "", codes = "", head = ""] = beginning.exec(line) ?? [];
  // Deep indentation would leave no room.
  if (2 * head.length > columns || styledWidth(line) <= columns) return wrapStyled(line, columns);
  const rows = wrapStyled(codes + line.slice(all.length), columns - head.length);
  return rows.map((row, index) => ((index === 0 ? head : " ".repeat(head.length)) + row).trimEnd());
}

/** Cuts a line to fit, with `sign` at the end if anything is left out. */
export function cutStyled(text: string, columns: number, sign: string): string {
  return styledWidth(text) <= columns ? text : truncateToWidth(text, Math.max(0, columns), sign);
}

/** The candidates that fuzzily match the input, best first; all of them in their order if it is empty. */
export function rankMatches<Candidate>(
  candidates: readonly Candidate[],
  wanted: string,
  textOf: (candidate: Candidate) => string,
): Candidate[] {
  const words = wanted.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...candidates];
  const scored = candidates.flatMap((candidate) => {
    const matches = words.map((word) => fuzzyMatch(word, textOf(candidate)));
    if (!matches.every((match) => match.matches)) return [];
    return [{ candidate, score: matches.reduce((sum, { score }) => sum + score, 0) }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ candidate }) => candidate);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const leading = /^(?:\u001b\[[\d;]*m)+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const sequence = /\u001b\[([\d;]*)m/g;

/** The parameters that set the same thing: of two such sequences only the last counts. */
const kinds = [
  /^(?:[39][0-7]|3[89].*)$/,
  /^(?:4[0-79]|48.*|10[0-7])$/,
  /^(?:1|2|22)$/,
  /^2?3$/,
  /^2?4$/,
  /^2?7$/,
  /^2?9$/,
];

/** A row without the styles at its beginning that others there replace: a row of a long line begins with all that came before. */
function withLastStyles(row: string): string {
  const [all = ""] = leading.exec(row) ?? [];
  const last = new Map<string, string>();
  for (const [whole, parameters = ""] of all.matchAll(sequence)) {
    if (/^0?$/.test(parameters)) last.clear();
    const kind = kinds.findIndex((each) => each.test(parameters));
    const key = kind < 0 ? parameters : `kind ${kind}`;
    // In the order of the sequences that remain.
    last.delete(key);
    last.set(key, whole);
  }
  return [...last.values()].join("") + row.slice(all.length);
}
