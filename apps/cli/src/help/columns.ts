import { wrapWords } from "../render/fit-text.ts";

/** A term and its explanation. */
export type Row = readonly [what: string, meaning: string];

/** Default first column of explanations, and the last column: all of it fits a terminal of 80 columns. */
const usualBegin = 30;
const end = 79;

/** Formats two columns, indented by two; a long term gets its own line. */
export function columns(rows: readonly Row[], begin = usualBegin): string {
  return rows.map((one) => row(one, begin)).join("");
}

/** The same, with a first column only as wide as it needs to be. */
export function narrowColumns(rows: readonly Row[]): string {
  return columns(rows, 4 + Math.max(...rows.map(([what]) => what.length)));
}

function row([what, meaning]: Row, begin: number): string {
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
    if (lines.length > 0 && longer.length + 4 <= end) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join("\n    ");
}
