import type { TableVisual, VisualCell } from "@ikigai/protocol";
import { cutPart, cutToWidth, textWidth } from "../fit-text.ts";
import type { LineOutput } from "../line-output.ts";
import { sanitiseLine } from "../sanitise.ts";

export type Look = Pick<LineOutput, "style" | "signs" | "columns">;

const gap = "  ";

/** A column that is narrower says nothing; further ones are left out instead. */
const minColumns = 3;

/** A table: its head, a rule, and its rows. Wide columns are cut to the same width. */
export function drawTable({ columns, rows }: TableVisual, { style, signs, columns: room }: Look): string[] {
  const all = columns.map((name, index) => columnOf(name, rows, index));
  const count = Math.max(1, Math.min(all.length, Math.floor((room + gap.length) / (minColumns + gap.length))));
  const shown = all.slice(0, count);
  const widest = widestColumn(shown, room - gap.length * (count - 1));
  const cell = (text: string, column: Column | undefined) =>
    fit(text, Math.min(column?.width ?? 0, widest), column?.isNumber ?? false, signs.cut);
  const line = (texts: readonly string[]) =>
    cutToWidth(
      texts
        .map((text, index) => cell(text, shown[index]))
        .join(gap)
        .trimEnd(),
      room,
      signs.cut,
    );
  const head = line(shown.map(({ texts }) => texts[0] ?? ""));
  const rule = signs.rule.repeat(
    Math.min(
      room,
      shown.reduce((sum, { width }) => sum + Math.min(width, widest) + gap.length, -gap.length),
    ),
  );
  const body = rows.map((_, index) => line(shown.map(({ texts }) => texts[index + 1] ?? "")));
  const left = all.length - count;
  return [
    style.bold(head),
    style.dim(rule),
    ...body,
    ...(left > 0 ? [style.dim(cutToWidth(`${signs.cut} ${left} more columns`, room, ""))] : []),
  ];
}

/** A column: its name, then its cells. */
interface Column {
  readonly texts: readonly string[];
  readonly width: number;
  readonly isNumber: boolean;
}

function columnOf(name: string, rows: readonly (readonly VisualCell[])[], index: number): Column {
  const cells = rows.map((row) => row[index] ?? null);
  const texts = [name, ...cells.map((cell) => (cell === null ? "" : String(cell)))].map(sanitiseLine);
  return {
    texts,
    width: Math.max(1, ...texts.map(textWidth)),
    isNumber:
      cells.some((cell) => typeof cell === "number") &&
      cells.every((cell) => cell === null || typeof cell === "number"),
  };
}

/** The greatest width of a column with which all fit into the room. */
function widestColumn(columns: readonly Column[], room: number): number {
  const takes = (widest: number) => columns.reduce((sum, { width }) => sum + Math.min(width, widest), 0);
  let widest = room;
  while (widest > 1 && takes(widest) > room) widest--;
  return widest;
}

function fit(text: string, width: number, isRight: boolean, sign: string): string {
  const cut = cutPart(text, width, width > textWidth(sign) ? sign : "");
  const blank = " ".repeat(Math.max(0, width - textWidth(cut)));
  return isRight ? blank + cut : cut + blank;
}
