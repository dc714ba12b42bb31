import { columnsOf, fromColumn, plainText } from "../pi-tui/text.ts";
import { type Resize, rowsAfter } from "./reflow.ts";

/** What differs between layouts for two widths: spaces, and the lines of tables. */
const ignored = /[\s\u2500-\u257f]/u;

/** The text of the first `pushed` rows of lines, in a form without a layout. */
export function textOfRows(lines: readonly string[], pushed: number, resize: Pick<Resize, "kind" | "columns">): string {
  let text = "";
  let left = pushed;
  for (const line of lines) {
    if (left <= 0) break;
    const plain = plainText(line);
    const rows = rowsAfter(line, resize);
    const own = bare(left < rows ? startOf(plain, left * resize.columns) : plain);
    text = own === "" ? withBlank(text) : text.trimEnd() + own;
    left -= rows;
  }
  return text;
}

/** Marks a text that a blank line follows. */
function withBlank(text: string): string {
  return text === "" || text.endsWith(" ") ? text : `${text} `;
}

function startOf(plain: string, columns: number): string {
  let end = 0;
  for (const character of plain) {
    if (columnsOf(plain.slice(0, end + character.length)) > columns) break;
    end += character.length;
  }
  return plain.slice(0, end);
}

function bare(plain: string): string {
  return Array.from(plain)
    .filter((character) => !ignored.test(character))
    .join("");
}

/** Lines without the text that they begin with, and what they do not have of it. */
export interface Rest {
  readonly lines: readonly string[];
  readonly text: string;
}

/** Leaves out a text that lines begin with, however they are laid out; undefined if they begin with another one. */
export function withoutText(lines: readonly string[], text: string): Rest | undefined {
  let left = text.trimEnd();
  for (const [index, line] of lines.entries()) {
    const own = bare(plainText(line));
    if (left === "" && (own !== "" || !text.endsWith(" "))) return { lines: lines.slice(index), text: "" };
    if (left !== "" && own.startsWith(left) && own !== left)
      return { lines: [restOf(line, left), ...lines.slice(index + 1)], text: "" };
    if (!left.startsWith(own)) return undefined;
    left = left.slice(own.length);
  }
  return { lines: [], text: left + (text.endsWith(" ") ? " " : "") };
}

/** A line after the text that it begins with, as indented as before. */
function restOf(line: string, text: string): string {
  const plain = plainText(line);
  let end = 0;
  let left = text.length;
  for (const character of plain) {
    if (left <= 0 && !ignored.test(character)) break;
    end += character.length;
    if (!ignored.test(character)) left -= character.length;
  }
  const indent = Math.max(2, plain.length - plain.trimStart().length);
  return " ".repeat(indent) + fromColumn(line, columnsOf(plain.slice(0, end)));
}
