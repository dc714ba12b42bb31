import type { Frame } from "../pi-tui/editor.ts";

/** Shown instead of the editor; receives its keys. */
export interface Dialog {
  /** It came unasked: nobody can have meant it who wrote before it was there. */
  readonly isSudden?: boolean;
  render(columns: number, rows: number): Frame;
  key(typed: string): void;
  paste?(text: string): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}
