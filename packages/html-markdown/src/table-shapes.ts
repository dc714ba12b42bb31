import type { Attributes, TableShape } from "./page.ts";

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
