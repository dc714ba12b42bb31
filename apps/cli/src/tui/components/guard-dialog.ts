import { readingMs } from "../../host/typed-ahead.ts";
import { isKey } from "../pi-tui/keys.ts";
import type { Dialog } from "./dialog.ts";

/** Keys for a dialog that was withdrawn have come within this time, in milliseconds, unless the next one opens on its own. */
const onTheirWayMs = 1_000;

let isWithdrawn = false;
let withdrawnMs = Number.NEGATIVE_INFINITY;

/**
 * Notes that a dialog was closed by what had opened it, or that another program or text has the screen. A key that is meant for it
 * must not answer the question that is drawn next, which may be much later.
 */
export function noteWithdrawn(): void {
  isWithdrawn = true;
  withdrawnMs = performance.now();
}

/** Lets a dialog take nothing as an answer before it can have been read, if keys on their way may be meant for something else. */
export function guardDialog(dialog: Dialog): Dialog {
  if (!dialog.isSudden && performance.now() - withdrawnMs >= onTheirWayMs) isWithdrawn = false;
  let drawnMs = Number.POSITIVE_INFINITY;
  let waitMs = 0;
  const isDrawn = () => !isWithdrawn && drawnMs < Number.POSITIVE_INFINITY;
  return {
    ...dialog,
    isDrawn,
    isRead: (atMs) => isDrawn() && atMs - drawnMs >= readingMs,
    drawn(atMs) {
      if (isWithdrawn) waitMs = readingMs;
      if (!isDrawn()) drawnMs = atMs;
      isWithdrawn = false;
      dialog.drawn?.(atMs);
    },
    key(typed, atMs) {
      const settles = isKey(typed, "enter") || (dialog.isList && isKey(typed, "tab"));
      const isHarmless = isKey(typed, "escape", "ctrl+d") || (dialog.takesText && !settles);
      // Keys typed ahead are meant for the dialog that they open.
      const isReadable = isDrawn() && (waitMs === 0 || atMs - drawnMs >= waitMs);
      if (isHarmless || isReadable) dialog.key(typed, atMs);
    },
  };
}
