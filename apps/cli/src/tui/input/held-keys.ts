import { readingMs } from "../../host/typed-ahead.ts";
import type { Tui } from "../app/tui.ts";
import type { Dialog } from "../components/dialog.ts";
import { isKey } from "../pi-tui/keys.ts";

/**
 * A key that comes again sooner than this, in milliseconds, is held down. Systems repeat more often, unless the user has chosen one of
 * the slowest rates; an answer must not wait longer for everyone.
 */
const repeatMs = 250;

/** A key that is held down repeats after this at the latest, in milliseconds. */
const firstRepeatMs = 2_000;

interface Press {
  readonly typed: string;
  readonly atMs: number;
}

/** A press that may be the first repetition of a key that is held down. */
interface Doubtful extends Press {
  readonly dialog: Dialog;
  readonly timer: NodeJS.Timeout;
}

let last: Press = { typed: "", atMs: Number.NEGATIVE_INFINITY };
let isHeldDown = false;
let doubtful: Doubtful | undefined;
let resumedMs = Number.NEGATIVE_INFINITY;

/** Notes that ikigai continues after a suspension: if Enter comes first, it may still be meant for the shell. */
export function noteResumed(): void {
  resumedMs = performance.now();
}

/**
 * Passes keys on in their order, one that had to wait with the time when it was pressed. Enter that is held down, or Tab in a list, answers no dialog: it may have been pressed before the dialog opened.
 * A second press therefore waits a moment, until no third one has followed.
 */
export function passKey(typed: string, tui: Tui, pass: (typed: string, atMs?: number) => void): void {
  const press = { typed, atMs: performance.now() };
  const gapMs = press.atMs - last.atMs;
  const isSame = typed === last.typed;
  last = press;
  const before = takeDoubtful();
  if (before && isSame) isHeldDown = true;
  else if (before) pass(before.typed, before.atMs);
  if (!isSame || gapMs >= repeatMs) isHeldDown = false;
  if (isKey(typed, "enter") && press.atMs - resumedMs < readingMs) return;
  resumedMs = Number.NEGATIVE_INFINITY;
  const dialog = tui.viewer ? undefined : tui.dialog;
  const isAnswer = isKey(typed, "enter") || (dialog?.isList === true && isKey(typed, "tab"));
  if (!dialog || !isAnswer || !isSame || gapMs >= firstRepeatMs) pass(typed);
  else if (!isHeldDown) doubt(press, dialog, tui, pass);
}

/** Passes on a key that still waits: what comes now shows that it is not held down. */
export function passWaitingKey(pass: (typed: string, atMs?: number) => void): void {
  const before = takeDoubtful();
  if (before) pass(before.typed, before.atMs);
}

function doubt(press: Press, dialog: Dialog, tui: Tui, pass: (typed: string, atMs?: number) => void): void {
  const timer = setTimeout(() => {
    doubtful = undefined;
    // It was not meant for anything else.
    if (tui.dialog === dialog) pass(press.typed, press.atMs);
  }, repeatMs);
  doubtful = { ...press, dialog, timer };
}

function takeDoubtful(): Doubtful | undefined {
  const press = doubtful;
  clearTimeout(press?.timer);
  doubtful = undefined;
  return press;
}
