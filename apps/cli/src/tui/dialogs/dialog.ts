import type { Frame } from "../toolkit/editor.ts";

/** What stands in the place of the editor, and gets its keys. */
export interface Dialog {
  render(columns: number, rows: number): Frame;
  key(typed: string): void;
  paste?(text: string): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}
