import { readingMs } from "../../host/typed-ahead.ts";
import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { characterOf, isKey } from "../pi-tui/keys.ts";

/** How long after a dialog has opened on its own the user may begin a sentence without having seen it, in milliseconds. */
export const openingMs = 2_000;

/** How long a letter waits during that time, and afterwards, in milliseconds: if it begins a sentence, the next key comes sooner. */
const waitMs = { opening: 450, later: 200 };

/** A text is no answer to a question that opened less than this before, in milliseconds: no one has read it. */
const textReadingMs = 1_000;

/** A key, and when it was pressed, as `performance.now()` counts. */
interface Press {
  readonly typed: string;
  readonly atMs: number;
}

interface HeldLetter extends Press {
  readonly dialog: Dialog;
  readonly timer: NodeJS.Timeout;
  /** Puts it into the draft. */
  readonly write: () => void;
}

let held: HeldLetter | undefined;

/**
 * The dialog over a draft that was written since it opened: Enter belongs to the draft until a key of the dialog is used, also when the
 * draft has been sent or deleted. An objection is often followed by another Enter.
 */
let covering: Dialog | undefined;

/** The dialog of which a key was used last: Enter belongs to it although there is a draft. */
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
  const isChosen = isOfDialog(typed, dialog, draft);
  const isOfDraft = !isChosen && (covering === dialog || (draft !== "" && choosing !== dialog));
  // A letter answers the dialog or means nothing to it. Neither makes the next Enter an answer.
  if (isChosen && !dialog.isLetter?.(typed)) {
    choosing = dialog;
    covering = undefined;
  }
  const isEnd = isKey(typed, "escape", "ctrl+d");
  if (first && !isEnd) {
    // It confirms the letter, out of habit. Any other key belongs to a text.
    if (isKey(typed, "enter")) dialog.key(first.typed, first.atMs);
    else {
      first.write();
      write(typed);
    }
    return;
  }
  if (isEnd) dialog.key(typed, atMs);
  else if (isOfDraft || goesToDraft(press, dialog, tui)) write(typed);
  else if (dialog.isLetter?.(typed)) hold(press, dialog, tui, write);
  else dialog.key(typed, atMs);
}

/** Writes a letter that was held for a dialog which is not open any more: it begins a text. */
export function releaseHeld(): void {
  takeHeld()?.write();
}

/**
 * Whether a key means something to the dialog, other than Enter. What edits the draft, such as Backspace, does not; neither do the
 * arrows that move in it.
 */
function isOfDialog(typed: string, dialog: Dialog, draft: string): boolean {
  const movesInDraft =
    (draft !== "" && isKey(typed, "left", "right")) ||
    (draft.includes("\n") && isKey(typed, "up", "down", "ctrl+p", "ctrl+n"));
  // The text of a list only filters it.
  const isInDraft = movesInDraft || (draft !== "" && dialog.isList === true && characterOf(typed) !== undefined);
  if (isInDraft) return false;
  const isChoosing = isKey(typed, "up", "down", "left", "right", "ctrl+p", "ctrl+n", "tab", "escape", "ctrl+d");
  return isChoosing || dialog.isLetter?.(typed) === true || characterOf(typed) !== undefined;
}

/** Takes a paste while such a dialog is open; false if the dialog takes it. */
export function takesSuddenPaste(dialog: Dialog, tui: Tui): boolean {
  const first = takeHeld();
  const isOfDraft = dialog.isList === true && tui.editor.text() !== "";
  const isTaken = first?.dialog === dialog || dialog.paste === undefined || isOfDraft || isTextOfDraft(dialog, tui);
  first?.write();
  if (isTaken) covering = dialog;
  return isTaken;
}

/** Whether a key is meant for the draft: it is being typed, or no one can mean it as the answer yet. */
function goesToDraft({ typed, atMs }: Press, dialog: Dialog, tui: Tui): boolean {
  if (dialog.isLetter?.(typed)) return tui.isWriting() || atMs - tui.dialogSinceMs < readingMs;
  const isText = characterOf(typed) !== undefined || isKey(typed, "enter");
  return isText ? isTextOfDraft(dialog, tui) : tui.isWriting();
}

function isTextOfDraft(dialog: Dialog, tui: Tui): boolean {
  return tui.isWriting() || (dialog.takesText === true && openMs(tui) < textReadingMs);
}

function openMs(tui: Tui): number {
  return performance.now() - tui.dialogSinceMs;
}

function hold({ typed, atMs }: Press, dialog: Dialog, tui: Tui, writeKey: (typed: string) => void): void {
  const write = () => writeKey(typed);
  const timer = setTimeout(
    () => {
      held = undefined;
      if (tui.dialog === dialog) dialog.key(typed, atMs);
      else write();
      tui.redraw(true);
    },
    openMs(tui) < openingMs ? waitMs.opening : waitMs.later,
  );
  held = { typed, dialog, atMs, timer, write };
}

function takeHeld(): HeldLetter | undefined {
  const letter = held;
  clearTimeout(letter?.timer);
  held = undefined;
  return letter;
}
