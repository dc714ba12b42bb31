import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";

/** How long after a dialog has opened on its own a letter may begin a sentence that the user was about to type, in milliseconds. */
const openingMs = 2_000;

/** How long such a letter waits, in milliseconds: if it begins a sentence, the next key comes sooner. */
const waitMs = 350;

interface HeldLetter {
  readonly typed: string;
  readonly dialog: Dialog;
  readonly timer: NodeJS.Timeout;
}

let held: HeldLetter | undefined;

/**
 * Takes a key while a dialog is open that no one asked for. A letter answers it only if no other letter follows at once: a user
 * who types a message meanwhile must not approve something with its first letter.
 *
 * @param write puts a key into the draft
 */
export function takeSuddenKey(typed: string, dialog: Dialog, tui: Tui, write: (typed: string) => void): void {
  const first = takeHeld();
  if (first?.dialog === dialog) {
    if (characterOf(typed) !== undefined) {
      write(first.typed);
      write(typed);
      return;
    }
    dialog.key(first.typed);
    // It confirms the letter, out of habit.
    if (isKey(typed, "enter") || tui.dialog !== dialog) return;
  }
  if (tui.isWriting() && !isKey(typed, "escape", "ctrl+d")) write(typed);
  else if (dialog.isLetter?.(typed) && performance.now() - tui.dialogSinceMs < openingMs) hold(typed, dialog, tui);
  else dialog.key(typed);
}

function hold(typed: string, dialog: Dialog, tui: Tui): void {
  const timer = setTimeout(() => {
    held = undefined;
    if (tui.dialog !== dialog) return;
    dialog.key(typed);
    tui.redraw(true);
  }, waitMs);
  held = { typed, dialog, timer };
}

function takeHeld(): HeldLetter | undefined {
  const letter = held;
  clearTimeout(letter?.timer);
  held = undefined;
  return letter;
}
