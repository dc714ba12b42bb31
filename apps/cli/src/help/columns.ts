// Text in two columns, as all help has it.

import { wrapWords } from "@ikigai/screen";

/** A term and its explanation. */
export type Row = readonly [what: string, meaning: string];

/** Default first column of explanations, and the last column: all of it fits a terminal of 80 columns. */
const usualBegin = 30;
const usualEnd = 79;

/** Formats two columns, indented by two; a long term gets its own line. */
export function columns(rows: readonly Row[], begin = usualBegin, end = usualEnd): string {
  return rows.map((one) => row(one, begin, end)).join("");
}

/** The same, with a first column only as wide as it needs to be. @param width of the screen, if it is known to be less than usual */
export function narrowColumns(rows: readonly Row[], width = usualEnd + 1): string {
  const begin = 4 + Math.max(...rows.map(([what]) => what.length));
  return columns(rows, begin, Math.max(begin + 10, Math.min(usualEnd, width - 1)));
}

function row([what, meaning]: Row, begin: number, end: number): string {
  const left = `  ${what}`;
  const lines = wrapWords(meaning, end - begin).split("\n");
  const [first = "", ...rest] = left.length + 2 > begin ? ["", ...lines] : lines;
  const head = first === "" ? left : `${left.padEnd(begin)}${first}`;
  return [head, ...rest.map((line) => `${" ".repeat(begin)}${line}`)].map((line) => `${line}\n`).join("");
}

/** Joins parts with spaces, breaking the line where it gets too long. */
export function fold(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""} ${part}`.trimStart();
    if (lines.length > 0 && longer.length + 4 <= usualEnd) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join("\n    ");
}
