import { readingMs } from "../../host/typed-ahead.ts";
import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { isKey } from "../pi-tui/keys.ts";
import { whenQuiet } from "../terminal/when-quiet.ts";

/**
 * A key that comes again sooner than this, in milliseconds, is held down. Systems repeat more often, unless the user has chosen one of
 * the slowest rates; an answer must not wait longer for everyone.
 */
const repeatMs = 250;

/** A list that has been on the screen for less, in milliseconds, is not what a repeated key answers: no one has seen it. */
const seenMs = 150;

/** A list that was drawn this long ago, in milliseconds, and that the terminal has not shown, is hidden: no one types ahead that slowly. */
const hiddenMs = 1_000;

/** A key that is held down repeats after this at the latest, in milliseconds. */
const firstRepeatMs = 2_000;

/** A key, and when it was pressed, as `performance.now()` counts. */
export interface Press {
  readonly typed: string;
  readonly atMs: number;
  /** It repeats a key that answers lists, and none was open when it was read: it is not meant for one that has opened since. */
  readonly isBlind?: boolean;
}

/** A press that may be the first repetition of a key that is held down. */
interface Doubtful extends Press {
  readonly dialog: Dialog;
  readonly cancel: () => void;
}

const nothing: Press = { typed: "", atMs: Number.NEGATIVE_INFINITY };
let last = nothing;
let isHeldDown = false;
let doubtful: Doubtful | undefined;
let resumedMs = Number.NEGATIVE_INFINITY;

/** Notes that ikigai continues after a suspension: if Enter comes first, it may still be meant for the shell. */
export function noteResumed(): void {
  resumedMs = performance.now();
}

/**
 * Passes keys on in their order, with the time when they were pressed. Enter that is held down, or Tab in a list, answers no dialog: it may
 * have been pressed before the dialog opened.
 * A second press therefore waits a moment, until no third one has followed.
 */
export function passKey(press: Press, tui: Tui, pass: (press: Press) => void): void {
  const { typed } = press;
  const gapMs = press.atMs - last.atMs;
  const isSame = typed === last.typed;
  last = press;
  if (!isSame) passDoubtful(tui, pass);
  else if (takeDoubtful()) isHeldDown = true;
  if (!isSame || gapMs >= repeatMs) isHeldDown = false;
  if (isKey(typed, "enter") && press.atMs - resumedMs < readingMs) return;
  resumedMs = Number.NEGATIVE_INFINITY;
  const dialog = tui.viewer ? undefined : tui.dialog;
  const isAnswer = isKey(typed, "enter") || ((!dialog || dialog.isList) && isKey(typed, "tab"));
  if (isAnswer && dialog && isHidden(dialog, press, tui)) return;
  if (!isAnswer || !isSame) pass(press);
  else if (!dialog) pass({ ...press, isBlind: true });
  else if (isHeldDown || !isSeen(dialog, press, gapMs, tui)) return;
  else if (gapMs >= firstRepeatMs) pass(press);
  else doubt(press, dialog, tui, pass);
}

/** Whether the terminal hangs, and the dialog has therefore not been on the screen. */
function isHidden({ isSudden }: Dialog, { atMs }: Press, { dialogSinceMs, dialogShownMs }: Tui): boolean {
  return !isSudden && dialogShownMs === Number.POSITIVE_INFINITY && atMs - dialogSinceMs >= hiddenMs;
}

/** Whether a repeated key can be meant for the dialog. What opens on its own has its own rules. */
function isSeen({ isSudden }: Dialog, { atMs }: Press, gapMs: number, { dialogShownMs }: Tui): boolean {
  return isSudden === true || atMs - dialogShownMs >= (gapMs < repeatMs ? repeatMs : seenMs);
}

/** Notes a paste: no key behind it repeats one before, unless that is held down. A key that still waits is passed on. */
export function notePaste(tui: Tui, pass: (press: Press) => void): void {
  if (!isHeldDown) last = nothing;
  passDoubtful(tui, pass);
}

/** Passes on a key that still waits: what comes now shows that it is not held down. */
function passDoubtful(tui: Tui, pass: (press: Press) => void): void {
  const before = takeDoubtful();
  // It was not meant for anything else.
  if (before && tui.dialog === before.dialog) pass(before);
}

function doubt(press: Press, dialog: Dialog, tui: Tui, pass: (press: Press) => void): void {
  const cancel = whenQuiet(repeatMs, () => {
    doubtful = undefined;
    if (tui.dialog === dialog) pass(press);
  });
  doubtful = { ...press, dialog, cancel };
}

function takeDoubtful(): Doubtful | undefined {
  const press = doubtful;
  press?.cancel();
  doubtful = undefined;
  return press;
}
