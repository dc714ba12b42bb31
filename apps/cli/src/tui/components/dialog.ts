import type { Frame } from "../pi-tui/editor.ts";

/** What stands in the place of the editor, and gets its keys. */
export interface Dialog {
  /** It came unasked: nobody can have meant it who wrote before it was there. */
  readonly isSudden?: boolean;
  render(columns: number, rows: number): Frame;
  key(typed: string): void;
  paste?(text: string): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}
