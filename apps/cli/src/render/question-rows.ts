import { textWidth } from "./fit-text.ts";
import type { LineOutput } from "./line-output.ts";

/** A line as it is: a row of its own, whose beginning is ours, and more rows where it is too long for one. */
export interface QuestionLine {
  /** What stands before the text; never anything a model wrote. */
  readonly margin: string;
  /** Sanitised, of one line. */
  readonly text: string;
  /** How the margin and the text are set off. */
  readonly look?: (row: string) => string;
  readonly marginLook?: (margin: string) => string;
}

/** The least a row has for its margin: room for the mark of a row that goes on. */
const marginColumns = 4;

/** A very narrow terminal shows a little of each row all the same, in columns. */
const minColumns = 8;

const same = (text: string) => text;

/**
 * Lays lines out in rows that fit. A row that goes on with the line above has the mark in its margin, every other row begins
 * a line: what a model wrote reaches no margin, so neither can look like the other.
 */
export function layOutLines(
  lines: readonly QuestionLine[],
  { signs, style, columns }: Pick<LineOutput, "signs" | "style" | "columns">,
): string[] {
  return lines.flatMap(({ margin, text, look = same, marginLook = same }) => {
    const width = textWidth(margin);
    const hang = Math.max(marginColumns, Math.min(width, columns - minColumns));
    const goesOn = style.yellow(`  ${signs.wrapped}`.padEnd(hang));
    const room = Math.max(1, columns - 1 - Math.max(hang, width));
    return wrapExactly(text.replaceAll("\t", "    "), room).map((row, index) => {
      const begin = index === 0 ? marginLook(margin) : goesOn;
      return row === "" ? begin.trimEnd() : `${begin}${look(row)}`;
    });
  });
}

/** Lines of which each is numbered, so that one sees where it begins. */
export function numberedLines(texts: readonly string[], { style }: Pick<LineOutput, "style">): QuestionLine[] {
  const width = String(texts.length).length;
  return texts.map((text, index) => ({
    margin: `${" ".repeat(marginColumns)}${String(index + 1).padStart(width)}  `,
    marginLook: style.dim,
    text,
  }));
}

/** Facts of ours, indented. */
export function factLine(text: string, look: (row: string) => string): QuestionLine {
  return { margin: " ".repeat(marginColumns), text, look };
}

/**
 * Breaks a sanitised line without line breaks or tabs into rows that fit. Nothing is left out: the rows joined are the line.
 * A row ends behind a space where that fills at least half of it.
 */
function wrapExactly(text: string, columns: number): string[] {
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

/** The most that terminals take for it: some show what stands before a variation selector as an emoji of two columns. */
function widthOf(character: string): number {
  return character === "\ufe0f" ? 1 : textWidth(character);
}
