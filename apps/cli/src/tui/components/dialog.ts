import type { Frame } from "../pi-tui/editor.ts";

/** Shown instead of the editor while it has the focus. */
export interface Dialog {
  /** Who waits for the answer, if the user has not opened it: our own text, sanitised. What it is about is above it. */
  readonly asker?: string | undefined;
  /** What is above it belongs to it, so it must not cover that. */
  readonly keepsAbove?: boolean | undefined;
  render(columns: number, rows: number): Frame;
  key(typed: string): void;
  paste?(text: string): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}
