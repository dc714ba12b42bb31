// Lays out the lines of a question in rows from which nothing is missing: margins, marks of continuation, numbers, and how wide a character may
// be.

import { plainWidth } from "@ikigai/screen";
import type { LineOutput } from "../line-output.ts";

/** A line of a question: it starts a row with a margin of ours, and wraps into more rows if it is too long. */
export interface QuestionLine {
  /** Printed before the text; never contains model output. */
  readonly margin: string;
  /** Sanitised, without line breaks. */
  readonly text: string;
  /** How a row of the text is styled; `start`: where in the text it begins. */
  readonly look?: (row: string, start: number) => string;
  readonly marginLook?: (margin: string) => string;
  /** What begins a continuation row instead of the mark: a sentence needs none, as nothing runs. No wider than the margin. */
  readonly continued?: string;
  /** Drawn over each row, up to the right edge. */
  readonly ground?: (row: string) => string;
}

/** The smallest margin: room for the mark of a continuation row. */
const marginColumns = 4;

/** Shown of each row even on a very narrow terminal, in columns. */
const minColumns = 8;

const same = (text: string) => text;

/**
 * Lays out lines in rows that fit. A continuation row has a mark in its margin, unless the line has another sign for it; every
 * other row begins a line. Model output never reaches the margin, so it cannot fake either.
 */
export function layOutLines(
  lines: readonly QuestionLine[],
  { signs, style, columns }: Pick<LineOutput, "signs" | "style" | "columns">,
): string[] {
  return lines.flatMap(({ margin, text, look = same, marginLook = same, continued, ground }) => {
    const width = plainWidth(margin);
    const hang = Math.max(marginColumns, Math.min(width, columns - minColumns));
    const sign = (continued ?? `  ${signs.wrapped}`).padEnd(hang);
    const continuation = sign.trim() === "" ? sign : style.yellow(sign);
    const room = Math.max(1, columns - 1 - Math.max(hang, width));
    let end = 0;
    const widthOf = continued === "" ? proseColumns : mostColumns;
    return wrapExactly(text.replaceAll("\t", "    "), room, widthOf).map((row, index) => {
      const begin = index === 0 ? marginLook(margin) : continuation;
      const start = end;
      end += row.length;
      if (ground) {
        const used = (index === 0 ? width : hang) + plainWidth(row);
        return ground(`${begin}${look(row, start)}${" ".repeat(Math.max(0, columns - 1 - used))}`);
      }
      return row === "" ? begin.trimEnd() : `${begin}${look(row, start)}`;
    });
  });
}

/** Numbers the lines, so that the start of each is visible. */
export function numberedLines(texts: readonly string[], { style }: Pick<LineOutput, "style">): QuestionLine[] {
  const width = String(texts.length).length;
  return texts.map((text, index) => ({
    margin: `${" ".repeat(marginColumns)}${String(index + 1).padStart(width)}  `,
    marginLook: style.dim,
    text,
  }));
}

/** An indented line of our own. */
export function factLine(text: string, look: (row: string) => string): QuestionLine {
  return { margin: " ".repeat(marginColumns), text, look };
}

/**
 * Wraps a sanitised line without line breaks or tabs. Nothing is left out: the rows joined are the line. A row ends after a
 * space if that fills at least half of it.
 */
function wrapExactly(text: string, columns: number, widthOf: (character: string) => number): string[] {
  const rows: string[] = [];
  const room = Math.max(1, columns);
  let start = 0;
  let used = 0;
  let space = { end: 0, used: 0 };
  let at = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (used + width > room && at > start) {
      const isAtSpace = space.end > start && space.used >= room / 2;
      const end = isAtSpace ? space.end : at;
      rows.push(text.slice(start, end));
      used = isAtSpace ? used - space.used : 0;
      start = end;
      space = { end, used: 0 };
    }
    at += character.length;
    used += width;
    if (character === " ") space = { end: at, used };
  }
  rows.push(text.slice(start));
  return rows;
}

/** The most columns that a sentence can take: some terminals give a mark one, and a few marks two. */
export function proseWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + proseColumns(character), 0);
}

function proseColumns(character: string): number {
  if (!/^\p{M}$/u.test(character)) return plainWidth(character);
  return /^[\u302a-\u302f\u{16ff0}\u{16ff1}]$/u.test(character) ? 2 : 1;
}

/** The most columns that any terminal uses for a character: they differ in marks, emoji, and letters of East Asian fonts. */
function mostColumns(character: string): number {
  return character < "\x7f" ? 1 : 2;
}
