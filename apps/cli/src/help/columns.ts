import { wrapWords } from "../render/fit-text.ts";

/** What is explained, and how. */
export type Row = readonly [what: string, meaning: string];

/** How far right explanations begin unless told, and where they end, in columns: a terminal of the usual width shows it all. */
const usualBegin = 30;
const end = 79;

/** Two columns, indented by two; a long left one has a line of its own. */
export function columns(rows: readonly Row[], begin = usualBegin): string {
  return rows.map((one) => row(one, begin)).join("");
}

/** The same, as narrow as it can be. */
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

/** One line, or as many as it takes. */
export function fold(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""} ${part}`.trimStart();
    if (lines.length > 0 && longer.length + 4 <= end) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join("\n    ");
}
