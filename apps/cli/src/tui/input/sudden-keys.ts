import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";

/** How long after a dialog has opened on its own the user may begin a sentence without having seen it, in milliseconds. */
export const openingMs = 2_000;

/** How long a letter waits during that time, and afterwards, in milliseconds: if it begins a sentence, the next key comes sooner. */
const waitMs = { opening: 450, later: 200 };

/** A text is no answer to a question that opened less than this before, in milliseconds: no one has read it. */
const textReadingMs = 1_000;

interface HeldLetter {
  readonly typed: string;
  readonly dialog: Dialog;
  readonly atMs: number;
  readonly timer: NodeJS.Timeout;
}

let held: HeldLetter | undefined;

/**
 * The dialog over a draft that was written since it opened: Enter belongs to the draft until a key of the dialog is used, also when the
 * draft has been sent or deleted. An objection is often followed by another Enter.
 */
let covering: Dialog | undefined;

/**
 * Takes a key while a dialog is open that no one asked for. A letter answers it only if no other letter follows at once: a user
 * who types a message or an objection must not approve something with its first letter.
 *
 * @param write puts a key into the draft
 */
export function takeSuddenKey(typed: string, dialog: Dialog, tui: Tui, writeKey: (typed: string) => void): void {
  const first = takeHeld();
  const write = (key: string) => {
    covering = dialog;
    writeKey(key);
  };
  const isOfDraft = covering === dialog && !isOfDialog(typed, dialog);
  if (!isOfDraft) covering = undefined;
  const isEnd = isKey(typed, "escape", "ctrl+d");
  if (first?.dialog === dialog && !isEnd) {
    // It confirms the letter, out of habit. Any other key belongs to a text.
    if (isKey(typed, "enter")) dialog.key(first.typed, first.atMs);
    else {
      write(first.typed);
      write(typed);
    }
    return;
  }
  if (isEnd) dialog.key(typed);
  else if (isOfDraft || goesToDraft(dialog, tui, typed)) write(typed);
  else if (dialog.isLetter?.(typed)) hold(typed, dialog, tui);
  else dialog.key(typed);
}

/** Whether a key means something to the dialog, other than Enter. What edits a line, such as Backspace, does not. */
function isOfDialog(typed: string, dialog: Dialog): boolean {
  const isChoosing = isKey(typed, "up", "down", "left", "right", "ctrl+p", "ctrl+n", "tab", "escape", "ctrl+d");
  return isChoosing || dialog.isLetter?.(typed) === true || characterOf(typed) !== undefined;
}

/** Takes a paste while such a dialog is open; false if the dialog takes it. @param write puts a key into the draft */
export function takesSuddenPaste(dialog: Dialog, tui: Tui, write: (typed: string) => void): boolean {
  const first = takeHeld();
  const isTaken = first?.dialog === dialog || dialog.paste === undefined || goesToDraft(dialog, tui);
  if (first?.dialog === dialog) write(first.typed);
  if (isTaken) covering = dialog;
  return isTaken;
}

/** Whether a key or a paste is meant for the draft: it is being typed, or no one can mean a text as the answer yet. */
function goesToDraft(dialog: Dialog, tui: Tui, typed?: string): boolean {
  const isText = typed === undefined || characterOf(typed) !== undefined || isKey(typed, "enter");
  return tui.isWriting() || (dialog.takesText === true && isText && openMs(tui) < textReadingMs);
}

function openMs(tui: Tui): number {
  return performance.now() - tui.dialogSinceMs;
}

function hold(typed: string, dialog: Dialog, tui: Tui): void {
  const atMs = performance.now();
  const timer = setTimeout(
    () => {
      held = undefined;
      if (tui.dialog !== dialog) return;
      dialog.key(typed, atMs);
      tui.redraw(true);
    },
    openMs(tui) < openingMs ? waitMs.opening : waitMs.later,
  );
  held = { typed, dialog, atMs, timer };
}

function takeHeld(): HeldLetter | undefined {
  const letter = held;
  clearTimeout(letter?.timer);
  held = undefined;
  return letter;
}
