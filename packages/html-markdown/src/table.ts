// Tables: the cells of one as Markdown, and, while a page is read, what decides whether it is data or arranges things.

import type { Attributes, TableShape, Tag } from "./page.ts";

/** So that a short attribute cannot become thousands of cells. */
const maxSpannedColumns = 20;

/** Collects the cells of a table. */
export class Table {
  readonly #rows: string[][] = [];
  /** For each column in how many more rows a cell from above fills it. */
  readonly #fromAbove: number[] = [];
  #row: string[] = [];
  #headers = 0;
  #cells = 0;
  #hasHeaderRow = false;

  addCell(text: string, attributes: Attributes, isHeader: boolean): void {
    this.#fillFromAbove();
    const rows = spanOf(attributes, "rowspan");
    const columns = spanOf(attributes, "colspan");
    for (let column = 0; column < columns; column++) {
      if (column > 0 && this.#row.length >= maxSpannedColumns) break;
      if (this.#row.length < maxSpannedColumns) this.#fromAbove[this.#row.length] = rows - 1;
      this.#row.push(column === 0 ? text : "");
    }
    this.#cells += 1;
    if (isHeader) this.#headers += 1;
  }

  endRow(): void {
    if (this.#cells > 0) {
      if (this.#rows.length === 0) this.#hasHeaderRow = this.#headers === this.#cells;
      this.#rows.push(this.#row);
    }
    this.#row = [];
    this.#headers = 0;
    this.#cells = 0;
  }

  /** The table as Markdown, with empty headings if its first row has none; nothing if all cells are empty. */
  toString(): string {
    this.endRow();
    const rows = this.#rows.filter(
      (row, index) => (index === 0 && this.#hasHeaderRow) || row.some((cell) => cell !== ""),
    );
    if (!rows.some((row) => row.some((cell) => cell !== ""))) return "";
    const width = rows.reduce((most, row) => Math.max(most, row.length), 1);
    const [first = []] = rows;
    const header = this.#hasHeaderRow
      ? [...first, ...Array<string>(width - first.length).fill("")]
      : Array<string>(width).fill("");
    const lines = [header, Array<string>(width).fill("---"), ...(this.#hasHeaderRow ? rows.slice(1) : rows)];
    return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  }

  #fillFromAbove(): void {
    for (
      let above = this.#fromAbove[this.#row.length] ?? 0;
      above > 0;
      above = this.#fromAbove[this.#row.length] ?? 0
    ) {
      this.#fromAbove[this.#row.length] = above - 1;
      this.#row.push("");
    }
  }
}

function spanOf(attributes: Attributes, name: string): number {
  const span = Number.parseInt(attributes.get(name) ?? "", 10);
  return span >= 1 && span <= 65_534 ? span : 1;
}

/** Whether a table is written as one. With one row or one column it arranges things on the page rather than being data. */
export function isData({ table }: Tag): boolean {
  return table !== undefined && !table.holdsBlocks && (table.hasHeader || (table.columns > 1 && table.rows > 1));
}

const blocks = /^(?:table|h[1-6]|pre|xmp|listing|plaintext|blockquote|hr)$/;

export function shapeOf(attributes: Attributes): TableShape {
  const isLayout = /^(?:presentation|none)$/.test(attributes.get("role") ?? "");
  return { rows: 0, columns: 0, hasHeader: false, holdsBlocks: isLayout };
}

/** Notes what the open tables consist of. */
export class TableShapes {
  readonly #open: TableShape[] = [];
  /** Cells so far in the current row. */
  #columns = 0;

  open(shape: TableShape): void {
    this.#open.push(shape);
  }

  close(): void {
    this.#open.pop();
  }

  /** Notes an element in the innermost table. */
  note(name: string): void {
    const shape = this.#open.at(-1);
    if (!shape) return;
    if (name === "tr") {
      shape.rows += 1;
      this.#columns = 0;
    } else if (name === "td" || name === "th") {
      this.#columns += 1;
      shape.columns = Math.max(shape.columns, this.#columns);
      if (name === "th") shape.hasHeader = true;
    } else if (blocks.test(name)) {
      shape.holdsBlocks = true;
    }
  }
}
