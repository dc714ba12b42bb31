import { textWidth } from "./text-width.ts";

/**
 * Breaks a sanitised line without line breaks or tabs into rows that fit. Nothing is left out: the rows joined are the line.
 * A row ends behind a space where that fills at least half of it.
 */
export function wrapExactly(text: string, columns: number): string[] {
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
