import { exitCodes } from "../../host/exit-codes.ts";
import { shutdown } from "../../host/shutdown.ts";
import { interrupt } from "../../host/signals.ts";
import type { Tui } from "../app/tui.ts";
import { leave } from "../commands/jobs.ts";
import type { Dialog } from "../components/dialog.ts";
import { isKey } from "../pi-tui/keys.ts";
import { schemeFrom, themeFor } from "../pi-tui/theme.ts";
import { escapeTwice, keyActions, stopJob, takeBackLast } from "./key-actions.ts";

/** What terminals say that tell when their window is looked at. */
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";

/**
 * Takes keys and pastes one after the other. Once one has answered a dialog, the next ones wait a moment: who types quickly, or
 * over a slow line, means them for what is asked next, which is open only then. They answer no question that comes unasked.
 */
export function createInputQueue(tui: Tui): (take: () => void) => void {
  const held: (() => void)[] = [];
  let isWaiting = false;
  const goOn = () => {
    if (isWaiting && tui.dialog?.isSudden && held.length > 0) tui.noteWriting(false);
    isWaiting = false;
    for (let take = held.shift(); take; take = isWaiting ? undefined : held.shift()) {
      const { dialog } = tui;
      take();
      if (dialog === undefined || tui.dialog === dialog) continue;
      isWaiting = true;
      setImmediate(goOn);
    }
  };
  return (take) => {
    held.push(take);
    if (!isWaiting) goOn();
  };
}

/** Takes one key to whom it is for. */
export function takeKey(typed: string, tui: Tui): void {
  if (takeTerminalAnswer(typed, tui)) return;
  tui.clearHint();
  if (isKey(typed, "ctrl+z")) stopJob(tui);
  else if (isKey(typed, "ctrl+\\")) void shutdown(exitCodes.quit);
  else if (isKey(typed, "ctrl+c")) interrupt();
  else if (tui.viewer) tui.viewer.key(typed);
  else if (tui.dialog) takeDialogKey(typed, tui.dialog, tui);
  else takeEditorKey(typed, tui);
  // The editor and the dialogs keep to themselves what a key has changed.
  tui.redraw(true);
}

/** Who wrote something that recently still writes, in milliseconds: the next letters do not answer a question that came unasked. */
const writingMs = 800;

function takeDialogKey(typed: string, dialog: Dialog, tui: Tui): void {
  const isWriting = dialog.isSudden && performance.now() - tui.lastWrittenMs < writingMs;
  if (isWriting && !isKey(typed, "escape", "ctrl+d")) write(typed, tui);
  else dialog.key(typed);
}

function write(typed: string, tui: Tui): void {
  tui.editor.key(typed);
  tui.noteWriting(tui.editor.text() === "");
}

function takeEditorKey(typed: string, tui: Tui): void {
  const { editor, work, scheduler } = tui;
  const isEmpty = editor.text() === "";
  const action = keyActions.find(({ keys }) => isKey(typed, ...keys));
  if (action) action.act(tui);
  else if (isKey(typed, "ctrl+d") && isEmpty) void leave(tui);
  else if (isKey(typed, "escape") && work && !editor.isCompleting()) work.abort();
  else if (isKey(typed, "up") && isEmpty && scheduler.waiting().length > 0) takeBackLast(tui);
  else if (isKey(typed, "escape") && isEmpty && !editor.isCompleting()) escapeTwice(tui);
  else write(typed, tui);
}

/** What the terminal says of itself; true when it was that. */
function takeTerminalAnswer(typed: string, tui: Tui): boolean {
  if (typed === focusIn || typed === focusOut) {
    tui.setFocus(typed === focusIn);
    return true;
  }
  if (!typed.startsWith("\u001b]") && !typed.startsWith("\u001b[?")) return false;
  const scheme = schemeFrom(typed);
  const wanted = tui.session.agent.config.screen?.theme ?? "auto";
  if (scheme && wanted === "auto" && scheme !== tui.theme.scheme) tui.setTheme(themeFor(scheme));
  return true;
}
