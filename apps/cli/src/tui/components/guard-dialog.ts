import { readingMs } from "../../host/typed-ahead.ts";
import { isKey } from "../pi-tui/keys.ts";
import type { Dialog } from "./dialog.ts";

let isWithdrawn = false;

/**
 * Notes that a dialog was closed by what had opened it, or that another program or text has the screen. A key that is meant for it
 * must not answer the question that is drawn next, which may be much later.
 */
export function noteWithdrawn(): void {
  isWithdrawn = true;
}

/** Lets a dialog take nothing as an answer before it can have been read, if keys on their way may be meant for something else. */
export function guardDialog(dialog: Dialog): Dialog {
  let drawnMs: number | undefined;
  let waitMs = 0;
  return {
    ...dialog,
    isRead: (atMs) => !isWithdrawn && drawnMs !== undefined && atMs - drawnMs >= readingMs,
    drawn(atMs) {
      if (isWithdrawn) waitMs = readingMs;
      if (isWithdrawn || drawnMs === undefined) drawnMs = atMs;
      isWithdrawn = false;
      dialog.drawn?.(atMs);
    },
    key(typed, atMs) {
      const settles = isKey(typed, "enter") || (dialog.isList && isKey(typed, "tab"));
      const isHarmless = isKey(typed, "escape", "ctrl+d") || (dialog.takesText && !settles);
      // Keys typed ahead are meant for the dialog that they open.
      const isReadable = !isWithdrawn && drawnMs !== undefined && (waitMs === 0 || atMs - drawnMs >= waitMs);
      if (isHarmless || isReadable) dialog.key(typed, atMs);
    },
  };
}
