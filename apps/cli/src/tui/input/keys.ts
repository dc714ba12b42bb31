// What comes from the terminal. The folder: focus decides who gets a key, keys what it means here, key-actions does it; complete
// (Tab and the list of completions).

import { isKey, maxPasteLength, schemeFrom, themeFor } from "@ikigai/screen";
import { exitCodes, interrupt, shutdown } from "../../host/terminal/exit.ts";
import { pastedImage } from "../../session/images-in.ts";
import { leave } from "../app/leave.ts";
import type { Tui } from "../app/tui.ts";
import { wantedTheme } from "../app/watch-home.ts";
import { actionNames, type KeyBindings, namesOf, onEmptyLine } from "../components/key-bindings.ts";
import { escapeTwice, keyActions, stopJob, takeBackLast } from "./key-actions.ts";

/** Sent by terminals that report the focus of their window. */
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";

/** Passes a key to the part that handles it. */
export function takeKey(typed: string, tui: Tui): void {
  const { hasKeys, dialog, viewer, focus, editor } = tui;
  // What Ctrl-C does depends on the hint.
  if (!isKey(typed, "ctrl+c")) tui.clearHint();
  if (hasKeys && isKey(typed, "escape", ...namesOf(tui.bindings.keys))) return;
  if (isKey(typed, "ctrl+z")) stopJob(tui);
  else if (isKey(typed, "ctrl+\\")) void shutdown(exitCodes.quit);
  else if (isKey(typed, "ctrl+c")) interrupt();
  else if (viewer) viewer.key(typed);
  else if (dialog && focus.isOnDialog()) {
    const leaves = dialog.asker !== undefined && isKey(typed, "shift+tab") && !dialog.takesShiftTab?.();
    if (leaves) focus.toDraft();
    else dialog.key(typed);
  } else if (dialog && isKey(typed, "tab") && !editor.isCompleting()) focus.toDialog();
  else takeEditorKey(typed, tui);
  // The editor and the dialogs do not request a redraw.
  tui.redraw(true);
}

/** Takes a paste; `isCut`: its end is lost. */
export function takePaste(text: string, isCut: boolean, tui: Tui): void {
  const { viewer, dialog, editor, focus } = tui;
  if (viewer) return;
  if (dialog && focus.isOnDialog()) dialog.paste?.(text);
  else editor.paste(pastedImage(text) ?? text);
  if (isCut) tui.showHint(cutHint);
  // The editor and the dialogs do not request a redraw.
  tui.redraw(true);
}

const cutHint = `The paste is cut to ${maxPasteLength} characters. To send all of it, save it and write @ with the file's name.`;

function takeEditorKey(typed: string, tui: Tui): void {
  const { editor, aside, work, scheduler } = tui;
  const isEmpty = editor.text() === "";
  const action = actionOf(typed, tui.bindings, isEmpty);
  if (action) {
    const running = action(tui);
    if (running) tui.focus.expect(running);
  } else if (isKey(typed, "ctrl+d") && isEmpty) void leave(tui);
  else if (isKey(typed, "escape") && aside && !editor.isCompleting()) aside();
  else if (isKey(typed, "escape") && work && !editor.isCompleting()) work.abort();
  else if (isKey(typed, "up") && isEmpty && scheduler.waiting().length > 0) takeBackLast(tui);
  else if (isKey(typed, "escape") && isEmpty && !editor.isCompleting()) escapeTwice(tui);
  else editor.key(typed);
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
    tui.setWindowFocus(typed === focusIn);
    return true;
  }
  if (tui.images.take(typed) || tui.surface.take(typed)) return true;
  if (!typed.startsWith("\u001b]") && !typed.startsWith("\u001b[?")) return false;
  const scheme = schemeFrom(typed);
  const isWanted = scheme !== tui.theme.scheme && wantedTheme(tui.session.agent) === "auto";
  if (scheme && isWanted) tui.setTheme(themeFor(scheme));
  return true;
}
