import type { Frame } from "../pi-tui/editor.ts";

/** Shown instead of the editor; receives its keys. */
export interface Dialog {
  /** It opened without an action of the user: keys typed before are not meant for it. */
  readonly isSudden?: boolean;
  /** What is above it belongs to it, so it must not cover that. */
  readonly keepsAbove?: boolean;
  /** How it is answered while this draft is above it, or one was until now, as a sentence; by default, with the arrows or a letter. */
  readonly answeredBy?: (draft: string) => string;
  /** A list, which its text filters. */
  readonly isList?: boolean;
  /** It takes a line of text. */
  readonly takesText?: boolean;
  /** When the user last typed into its line, as `performance.now()` counts. */
  readonly typedMs?: () => number | undefined;
  /** Whether a key is a letter that settles it, or none of its letters: either may begin a sentence. */
  isLetter?(typed: string): boolean;
  render(columns: number, rows: number): Frame;
  /** What `render` returned is on the screen. @param atMs since when, as `performance.now()` counts */
  drawn?(atMs: number): void;
  /** Whether it has been on the screen, and since other things were. */
  isDrawn?(): boolean;
  /** @param atMs when the key was pressed, at the earliest. */
  key(typed: string, atMs: number): void;
  /** Whether it had been on the screen long enough to be read. */
  isRead?(atMs: number): boolean;
  paste?(text: string): void;
  /** Esc, Ctrl-C. */
  cancel(): void;
}
