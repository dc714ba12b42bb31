import { readingMs } from "../../host/typed-ahead.ts";
import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";
import { whenQuiet } from "../terminal/when-quiet.ts";
import type { Press } from "./held-keys.ts";

/** How long after a dialog that opened on its own is on the screen the user may begin a sentence without having seen it, in milliseconds. */
export const openingMs = 2_000;

/** How long a letter waits during that time or next to a draft, and otherwise, in milliseconds: if it begins a sentence, the next key comes sooner. */
const waitMs = { opening: 450, later: 200 };

/** A text is no answer to a question that opened less than this before, in milliseconds: no one has read it. */
const textReadingMs = 1_000;

interface HeldLetter extends Press {
  readonly dialog: Dialog;
  readonly cancel: () => void;
  /** Puts it into the draft. */
  readonly write: () => void;
}

let held: HeldLetter | undefined;

/**
 * The dialog over a draft that was written since it opened: Enter belongs to the draft until a key of the dialog is used, also when the
 * draft has been sent or deleted. An objection is often followed by another Enter.
 */
let covering: Dialog | undefined;

/** The dialog in which the user has chosen since the draft was last written: Enter belongs to it although there is a draft. */
let choosing: Dialog | undefined;

/**
 * Takes a key while a dialog is open that no one asked for. A letter answers it only if no other letter follows at once: a user
 * who types a message or an objection must not approve something with its first letter.
 *
 * @param write puts a key into the draft
 */
export function takeSuddenKey(press: Press, dialog: Dialog, tui: Tui, writeKey: (typed: string) => void): void {
  const { typed, atMs } = press;
  if (held?.dialog !== dialog) releaseHeld();
  const first = takeHeld();
  const draft = tui.editor.text();
  const write = (key: string) => {
    covering = dialog;
    choosing = undefined;
    writeKey(key);
  };
  const [isTab, isOfText] = [isKey(typed, "tab"), isLetter(typed, dialog, draft)];
  const isSooner = isMove(typed) && (isSoon(press, tui) || dialog.isRead?.(atMs) === false);
  const isChosen = !isSooner && isOfDialog(typed, dialog, draft);
  const isOfDraft = !isChosen && (covering === dialog || (draft !== "" && (choosing !== dialog || isTab)));
  // A letter answers the dialog or means nothing to it, and Tab changes an answer. Neither makes the next Enter an answer.
  if (isChosen && !isTab && !isOfText) {
    choosing = dialog;
    covering = undefined;
  }
  const isEnd = isKey(typed, "escape", "ctrl+d");
  if (first && !isEnd) {
    // It confirms the letter, out of habit, unless both end a text. Any other key belongs to a text.
    if (isKey(typed, "enter") && (draft === "" || choosing === dialog)) dialog.key(first.typed, first.atMs);
    else {
      first.write();
      write(typed);
    }
    return;
  }
  if (isEnd) dialog.key(typed, atMs);
  else if (isOfDraft || goesToDraft(press, dialog, tui)) write(typed);
  else if (isOfText) hold(press, dialog, tui, write);
  else if (!isSooner) dialog.key(typed, atMs);
}

/** Writes a letter that was held for a dialog which is not open any more: it begins a text. */
export function releaseHeld(): void {
  takeHeld()?.write();
}

/** Whether a key is a letter for the dialog that may also begin a text, or continue the draft. */
function isLetter(typed: string, dialog: Dialog, draft: string): boolean {
  const continuesDraft = draft !== "" && !dialog.takesText && characterOf(typed) !== undefined;
  return continuesDraft || dialog.isLetter?.(typed) === true;
}

/**
 * Whether a key means something to the dialog, other than Enter, and Tab in a list. What edits the draft, such as Backspace, does
 * not; neither do Tab, the arrows that move in the draft, and the text that continues it.
 */
function isOfDialog(typed: string, dialog: Dialog, draft: string): boolean {
  const isText = characterOf(typed) !== undefined;
  const isInDraft =
    (draft !== "" && (isKey(typed, "left", "right", "tab") || (dialog.takesText === true && isText))) ||
    (draft.includes("\n") && isKey(typed, "up", "down", "ctrl+p", "ctrl+n"));
  if (isInDraft || settlesList(typed, dialog)) return false;
  return isText || isMove(typed) || isKey(typed, "escape", "ctrl+d") || dialog.isLetter?.(typed) === true;
}

/** Whether a key chooses another answer of a dialog, or changes one. */
function isMove(typed: string): boolean {
  return isKey(typed, "up", "down", "left", "right", "ctrl+p", "ctrl+n", "tab");
}

/** Tab chooses from a list, as Enter does. */
function settlesList(typed: string, dialog: Dialog): boolean {
  return dialog.isList === true && isKey(typed, "tab");
}

/** Takes a paste while such a dialog is open; false if the dialog takes it. @param atMs when it came, as with keys */
export function takesSuddenPaste(dialog: Dialog, tui: Tui, atMs: number): boolean {
  const first = takeHeld();
  const mayBeOfDraft = dialog.isList === true || (dialog.takesText === true && choosing !== dialog);
  const isOfDraft = mayBeOfDraft && tui.editor.text() !== "";
  const isTaken =
    first?.dialog === dialog || dialog.paste === undefined || isOfDraft || isTextOfDraft(dialog, tui, atMs);
  first?.write();
  if (isTaken) covering = dialog;
  return isTaken;
}

/** Whether a key is meant for the draft: it is being typed, or no one can mean it as the answer yet. */
function goesToDraft(press: Press, dialog: Dialog, tui: Tui): boolean {
  const { typed, atMs } = press;
  const isText = characterOf(typed) !== undefined;
  if (isKey(typed, "enter") || settlesList(typed, dialog) || (isText && dialog.takesText))
    return isTextOfDraft(dialog, tui, atMs);
  return tui.isWriting(atMs) || ((isText || isMove(typed)) && isSoon(press, tui));
}

/** Whether a key was pressed sooner than anyone can have read the dialog: it was meant for the screen before. */
function isSoon({ atMs }: Press, { dialogSinceMs }: Tui): boolean {
  return atMs - dialogSinceMs < readingMs;
}

function isTextOfDraft(dialog: Dialog, tui: Tui, atMs: number): boolean {
  return tui.isWriting(atMs) || (dialog.takesText === true && atMs - tui.dialogSinceMs < textReadingMs);
}

function hold({ typed, atMs }: Press, dialog: Dialog, tui: Tui, writeKey: (typed: string) => void): void {
  const write = () => writeKey(typed);
  const mayBeText = atMs - tui.dialogSinceMs < openingMs || tui.editor.text() !== "";
  const cancel = whenQuiet(mayBeText ? waitMs.opening : waitMs.later, () => {
    held = undefined;
    if (tui.dialog === dialog) dialog.key(typed, atMs);
    else write();
    tui.redraw(true);
  });
  held = { typed, dialog, atMs, cancel, write };
}

function takeHeld(): HeldLetter | undefined {
  const letter = held;
  letter?.cancel();
  held = undefined;
  return letter;
}
