import { columnsOf, cutStyled } from "../pi-tui/text.ts";
import type { Look } from "../pi-tui/theme.ts";

/** A key, and what it does in a word or two. */
export type KeyRow = readonly [key: string, what: string];

/** Columns of the overlay at most. */
const maxColumns = 3;

/** Between a key and its meaning, and between columns. */
const gapColumns = 2;

/** Lays the keys out in columns, read from top to bottom, in at most `room` rows. */
export function renderKeyOverlay(rows: readonly KeyRow[], look: Look, columns: number, room: number): string[] {
  const { theme, signs } = look;
  let across = maxColumns;
  let laidOut = inColumns(rows, across);
  while (across > 1 && widthOf(laidOut) > columns) laidOut = inColumns(rows, --across);
  const height = Math.max(...laidOut.map((column) => column.length));
  const lines = Array.from({ length: height }, (_, row) => {
    const cells = laidOut.map((column) => cell(column, row, theme.style));
    return cutStyled(cells.join("").trimEnd(), columns, signs.cut);
  });
  const most = Math.max(1, room);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), theme.style.dim(`${signs.cut} ${lines.length - most + 1} more: /help`)];
}

function inColumns(rows: readonly KeyRow[], across: number): (readonly KeyRow[])[] {
  const height = Math.ceil(rows.length / across);
  return Array.from({ length: across }, (_, column) => rows.slice(column * height, (column + 1) * height));
}

function widthOf(laidOut: readonly (readonly KeyRow[])[]): number {
  return laidOut.reduce((sum, column) => sum + widthsOf(column).all, -gapColumns);
}

function widthsOf(column: readonly KeyRow[]): { readonly key: number; readonly all: number } {
  const key = Math.max(0, ...column.map(([name]) => columnsOf(name)));
  const what = Math.max(0, ...column.map(([, meaning]) => columnsOf(meaning)));
  return { key, all: key + what + 2 * gapColumns };
}

function cell(column: readonly KeyRow[], row: number, { cyan, dim }: Look["theme"]["style"]): string {
  const { key: keyWidth, all } = widthsOf(column);
  const [key, what] = column[row] ?? ["", ""];
  const text = `${cyan(key)}${" ".repeat(keyWidth - columnsOf(key) + gapColumns)}${dim(what)}`;
  return text + " ".repeat(all - columnsOf(text));
}
