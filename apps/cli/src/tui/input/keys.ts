// What comes from the terminal: what a key means here, then what each key of the editor does beside writing. The folder: focus decides who
// gets a key, keys what it means and does; complete is Tab and the list of completions, paste-image the clipboard's image.

import { conversationModes } from "@ikigai/agent/permission-modes";
import { thinkingLevels } from "@ikigai/models";
import { type Editor, isKey, maxPasteLength, sanitiseLine, schemeFrom, themeFor } from "@ikigai/screen";
import { recordUse } from "@ikigai/session";
import { slashCommandForm } from "../../help/slash-command-table.ts";
import { exitCodes, interrupt, shutdown } from "../../host/terminal/exit.ts";
import { shortPath } from "../../render/short-forms.ts";
import { pastedImage } from "../../session/images-in.ts";
import { readHistory } from "../app/history.ts";
import { leave } from "../app/leave.ts";
import { editElsewhere, suspend } from "../app/lend-terminal.ts";
import { pick } from "../app/open-dialog.ts";
import { putBack, submit } from "../app/submit.ts";
import { catching, type Tui } from "../app/tui.ts";
import { wantedTheme } from "../app/watch-home.ts";
import { showWork } from "../commands/agents.ts";
import { cycleModel } from "../commands/models.ts";
import { rewind } from "../commands/rewind.ts";
import { actionNames, type KeyAction, type KeyBindings, namesOf, onEmptyLine } from "../components/key-bindings.ts";
import { pasteImage } from "./paste-image.ts";

/** Sent by terminals that report the focus of their window. */
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";

/** Passes a key to the part that handles it. */
export function takeKey(typed: string, tui: Tui): void {
  const { hasKeys, dialog, viewer, focus, editor } = tui;
  // What Ctrl-C does depends on the hint.
  if (!isKey(typed, "ctrl+c")) tui.clearHint();
  if (hasKeys && isKey(typed, "escape", ...namesOf(tui.bindings.keys))) return;
  if (isKey(typed, "ctrl+z")) suspendTui(tui);
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

/** What the actions of the screen do; the editor carries out the others. */
export const keyActions: Partial<Record<KeyAction, (tui: Tui) => void | Promise<void>>> = {
  calls: showWork,
  history: (tui) => searchHistory(tui),
  "paste-image": (tui) => pasteImage(tui),
  edit: (tui) => editElsewhere(tui),
  mode: cycleMode,
  thinking: cycleThinking,
  model: (tui) => cycleModel(tui),
  clear: ({ surface }) => surface.clear(),
  "take-back": takeBackLast,
  queue: queueForEnd,
  palette: (tui) => openPalette(tui),
  keys: (tui) => tui.showKeys(),
};

/** How soon a second Ctrl-C must follow, in milliseconds. */
const secondInterruptMs = 2_000;

/** As long as it is shown, until another key, Ctrl-C quits. */
const quitHint = "Ctrl-C again, or Ctrl-D, to quit";

/** Clears the editor; Up brings the text back until ikigai quits. */
function clearEditor(editor: Editor): void {
  editor.remember(editor.text());
  editor.setText("");
}

/** What Ctrl-C does: it stops running work, else cancels a dialog, else clears the editor, else quits. */
export function interruption(tui: Tui): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const { viewer, dialog, work, editor, focus, hint } = tui;
    tui.clearHint();
    if (viewer) return viewer.close();
    if (work) work.abort();
    else if (dialog && (focus.isOnDialog() || editor.text() === "")) dialog.cancel();
    else if (editor.text() !== "") clearEditor(editor);
    else if (hint === quitHint && performance.now() - lastMs < secondInterruptMs) return void leave(tui);
    else {
      lastMs = performance.now();
      tui.showHint(quitHint);
    }
  };
}

/** Ctrl-Z: suspends ikigai. Keys for the shell answer no question. */
export function suspendTui({ viewer, surface, dialog, focus }: Tui): void {
  viewer?.close();
  if (dialog?.asker !== undefined) focus.toDraft();
  suspend(surface);
}

function cycleMode({ session, dialog }: Tui): void {
  const { permission, sandbox } = session.agent;
  const modes = conversationModes(sandbox.isThere);
  permission.mode = modes[(modes.indexOf(permission.mode) + 1) % modes.length] ?? "ask";
  dialog?.modeChanged?.();
}

/** Goes through the levels, then back to the provider's default. */
function cycleThinking(tui: Tui): void {
  const { agent } = tui.session;
  const next = thinkingLevels[agent.thinking === undefined ? 0 : thinkingLevels.indexOf(agent.thinking) + 1];
  if (next === undefined) delete agent.thinking;
  else agent.thinking = next;
  recordUse(agent, tui.session.model);
  tui.showHint(`Thinking: ${next ?? "provider default"}`);
}

/** How soon a second Esc must follow, in milliseconds. */
const secondEscapeMs = 800;

/** Esc twice on an empty line rewinds. */
export function escapeTwice(tui: Tui): void {
  const isSecond = performance.now() - tui.lastEscapeMs < secondEscapeMs;
  tui.noteEscape();
  if (!isSecond) return;
  const isBegun = tui.scheduler.runAlone(async () => {
    const running = catching(tui, async () => rewind.run("", tui));
    tui.focus.expect(running);
    await running;
  });
  if (!isBegun) tui.showHint("Cannot rewind while something is running.");
}

/** Puts the last message in the queue back into the editor. */
export function takeBackLast(tui: Tui): void {
  const last = tui.scheduler.takeBack();
  if (last) putBack(tui, [last.text]);
}

function queueForEnd(tui: Tui): void {
  const text = tui.editor.text();
  tui.editor.setText("");
  submit(text, tui, "end");
}

/** Searches the history of all projects. */
async function searchHistory(tui: Tui): Promise<void> {
  const { places } = tui.session.agent;
  const byText = new Map(readHistory(places.home).map((entry) => [entry.text, entry]));
  const choices = [...byText.values()].reverse().map(({ cwd, text }) => ({
    value: text,
    label: sanitiseLine(text.replace(/\s+/g, " ")),
    ...(cwd !== places.projectDir && { remark: shortPath(cwd, { projectDir: "" }) }),
  }));
  const found = await pick(tui, { title: "History", choices, empty: "The history is empty." });
  if (found !== undefined) tui.editor.setText(found);
}

/** Lets the user search the slash commands. One that needs an argument is put into the editor, any other runs. */
async function openPalette(tui: Tui): Promise<void> {
  // For the next time: a file may have been written. Waiting for it here would lose the first letters.
  void tui.loadCommands();
  const choices = tui.commands().map((command) => ({
    value: command,
    label: slashCommandForm([command.name, command]),
    remark: command.summary,
  }));
  const chosen = await pick(tui, { title: "Command", choices });
  if (!chosen) return;
  const { name, parameters = "" } = chosen;
  // Parameters in brackets are optional.
  const needsArgument = parameters.replace(/\[[^\]]*\]/g, "").trim() !== "";
  if (needsArgument) tui.editor.setText(`/${name} `);
  else submit(`/${name}`, tui);
}
