import { exitCodes } from "../../host/exit-codes.ts";
import { shutdown } from "../../host/shutdown.ts";
import { interrupt } from "../../host/signals.ts";
import { pastedImage } from "../../session/images-in.ts";
import type { Tui } from "../app/tui.ts";
import { wantedTheme } from "../app/wanted-theme.ts";
import { leave } from "../commands/jobs.ts";
import type { Dialog } from "../components/dialog.ts";
import { draftHint } from "../components/draft-hint.ts";
import { actionNames, type KeyBindings, namesOf, onEmptyLine } from "../components/key-bindings.ts";
import { isKey } from "../pi-tui/keys.ts";
import { schemeFrom, themeFor } from "../pi-tui/theme.ts";
import { maxPasteLength } from "../terminal/key-reader.ts";
import type { Press } from "./held-keys.ts";
import { escapeTwice, keyActions, stopJob, takeBackLast } from "./key-actions.ts";
import { releaseHeld, takeSuddenKey, takesSuddenPaste } from "./sudden-keys.ts";

/** Sent by terminals that report the focus of their window. */
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";

/** How often keys look whether the dialog is open for which they wait, in milliseconds. */
const lookMs = 5;

/**
 * Takes keys and pastes in order. After one that answers a dialog, the next ones wait a turn of the event loop, and after one that begins a
 * command, for its dialog: typed quickly, or over a slow line, they are meant for the dialog that opens next. They never answer a sudden
 * question.
 */
export function createInputQueue(tui: Tui): (take: () => void) => void {
  const held: (() => void)[] = [];
  let isWaiting = false;
  const takeHeld = () => {
    if (tui.isOpening() && held.length > 0) {
      isWaiting = true;
      setTimeout(takeHeld, lookMs);
      return;
    }
    if (isWaiting && tui.dialog?.isSudden && held.length > 0) tui.noteWriting(false);
    isWaiting = false;
    for (let take = held.shift(); take; take = isWaiting ? undefined : held.shift()) {
      const { dialog } = tui;
      take();
      isWaiting = tui.isOpening() || (dialog !== undefined && tui.dialog !== dialog);
      if (isWaiting) setImmediate(takeHeld);
    }
  };
  return (take) => {
    held.push(take);
    if (!isWaiting) takeHeld();
  };
}

/** Passes a key to the part that handles it. */
export function takeKey({ typed, atMs, isBlind }: Press, tui: Tui): void {
  const { hasKeys, dialog, viewer } = tui;
  if (isBlind && dialog && !dialog.isSudden && !viewer) return;
  tui.clearHint();
  if (!dialog?.isSudden) releaseHeld();
  if (hasKeys && isKey(typed, "escape", ...namesOf(tui.bindings.keys))) return;
  if (isKey(typed, "ctrl+z")) stopJob(tui);
  else if (isKey(typed, "ctrl+\\")) void shutdown(exitCodes.quit);
  else if (isKey(typed, "ctrl+c")) interrupt();
  else if (viewer) viewer.key(typed);
  else if (dialog?.isSudden) takeSuddenKey({ typed, atMs }, dialog, tui, (text) => writeBehind(text, dialog, tui));
  else if (dialog) dialog.key(typed, atMs);
  else takeEditorKey(typed, tui);
  // The editor and the dialogs do not request a redraw.
  tui.redraw(true);
}

/** A pasted text. */
export interface Paste {
  readonly text: string;
  /** Whether its end is lost. */
  readonly isCut: boolean;
  /** When it came, as `performance.now()` counts. */
  readonly atMs: number;
}

/** Takes a paste. One that comes while a question opens on its own belongs to the draft. */
export function takePaste({ text, isCut, atMs }: Paste, tui: Tui): void {
  const { viewer, dialog, editor } = tui;
  if (viewer) return;
  if (dialog && !(dialog.isSudden && takesSuddenPaste(dialog, tui, atMs))) dialog.paste?.(text);
  else {
    editor.paste(pastedImage(text) ?? text);
    tui.noteWriting(editor.text() === "");
    if (dialog) tui.showHint(draftHint(dialog, editor.text()));
  }
  if (isCut) tui.showHint(cutHint);
  // The editor and the dialogs do not request a redraw.
  tui.redraw(true);
}

const cutHint = `The paste is cut to ${maxPasteLength} characters. To send all of it, save it and write @ with the file's name.`;
/** Writes while a question covers the editor. Also after the text is sent or deleted, the next key is not an answer. */
function writeBehind(typed: string, dialog: Dialog, tui: Tui): void {
  tui.editor.key(typed);
  tui.noteWriting(false);
  if (tui.dialog === dialog) tui.showHint(draftHint(dialog, tui.editor.text()));
}

function write(typed: string, tui: Tui): void {
  tui.editor.key(typed);
  // A text that is deleted is often followed by a better one.
  tui.noteWriting(tui.editor.text() === "" && isKey(typed, "enter"));
}

function takeEditorKey(typed: string, tui: Tui): void {
  const { editor, work, scheduler } = tui;
  const isEmpty = editor.text() === "";
  const action = actionOf(typed, tui.bindings, isEmpty);
  if (action) {
    // Before it, since it may begin another command.
    tui.noteCommand();
    const running = action(tui);
    if (running) tui.noteCommand(running);
  } else if (isKey(typed, "ctrl+d") && isEmpty) void leave(tui);
  else if (isKey(typed, "escape") && work && !editor.isCompleting()) work.abort();
  else if (isKey(typed, "up") && isEmpty && scheduler.waiting().length > 0) takeBackLast(tui);
  else if (isKey(typed, "escape") && isEmpty && !editor.isCompleting()) escapeTwice(tui);
  else write(typed, tui);
}

/** What the screen does at a key; undefined if it belongs to the editor. */
function actionOf(
  typed: string,
  bindings: KeyBindings,
  isEmpty: boolean,
): ((tui: Tui) => void | Promise<void>) | undefined {
  const name = actionNames.find((name) => {
    return keyActions[name] && (isEmpty || !onEmptyLine.includes(name)) && isKey(typed, ...namesOf(bindings[name]));
  });
  return name && keyActions[name];
}

/** Takes a report of the terminal; false if the input is a key. */
export function takeTerminalAnswer(typed: string, tui: Tui): boolean {
  if (typed === focusIn || typed === focusOut) {
    tui.setFocus(typed === focusIn);
    return true;
  }
  if (tui.images.take(typed) || tui.surface.take(typed)) return true;
  if (!typed.startsWith("\u001b]") && !typed.startsWith("\u001b[?")) return false;
  const scheme = schemeFrom(typed);
  const isWanted = scheme !== tui.theme.scheme && wantedTheme(tui.session.agent) === "auto";
  if (scheme && isWanted) tui.setTheme(themeFor(scheme));
  return true;
}
