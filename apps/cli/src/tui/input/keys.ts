import { thinkingLevels } from "@ikigai/agent/internal";
import { conversationModes } from "@ikigai/agent/permission-modes";
import { exitCodes } from "../../host/exit-codes.ts";
import { shutdown } from "../../host/shutdown.ts";
import { interrupt } from "../../host/signals.ts";
import { editElsewhere } from "../app/edit-elsewhere.ts";
import { submit } from "../app/submit.ts";
import type { Tui } from "../app/tui.ts";
import { leave } from "../commands/jobs.ts";
import { cycleModel } from "../commands/models.ts";
import { rewind } from "../commands/rewind.ts";
import { showCalls } from "../commands/show-calls.ts";
import type { Dialog } from "../components/dialog.ts";
import { isKey, type KeyName } from "../pi-tui/keys.ts";
import { schemeFrom, themeFor } from "../pi-tui/theme.ts";
import { suspend } from "../terminal/lend-terminal.ts";
import { pasteImage } from "./clipboard-image.ts";
import { searchHistory } from "./search-history.ts";

/** What terminals say that tell when their window is looked at. */
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";

/** The keys that mean the same wherever the editor has the word. */
const actions: readonly { readonly keys: readonly KeyName[]; readonly act: (tui: Tui) => void }[] = [
  { keys: ["ctrl+o"], act: showCalls },
  { keys: ["ctrl+r"], act: (tui) => void searchHistory(tui) },
  { keys: ["ctrl+v"], act: (tui) => void pasteImage(tui) },
  { keys: ["ctrl+g"], act: (tui) => void editElsewhere(tui) },
  { keys: ["shift+tab"], act: cycleMode },
  { keys: ["ctrl+t"], act: cycleThinking },
  { keys: ["ctrl+p"], act: (tui) => void cycleModel(tui) },
  { keys: ["ctrl+l"], act: ({ surface }) => surface.clear() },
  { keys: ["alt+up"], act: takeBackLast },
  { keys: ["alt+enter"], act: queueForEnd },
];

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
  const action = actions.find(({ keys }) => isKey(typed, ...keys));
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

function stopJob({ viewer, surface }: Tui): void {
  viewer?.close();
  suspend(surface);
}

function cycleMode({ session }: Tui): void {
  const { permission } = session.agent;
  const now = conversationModes.indexOf(permission.mode);
  permission.mode = conversationModes[(now + 1) % conversationModes.length] ?? "ask";
}

/** Through the levels, and then to what the provider does by itself. */
function cycleThinking(tui: Tui): void {
  const { agent } = tui.session;
  const next = thinkingLevels[agent.thinking === undefined ? 0 : thinkingLevels.indexOf(agent.thinking) + 1];
  if (next === undefined) delete agent.thinking;
  else agent.thinking = next;
  tui.showHint(`Thinking: ${next ?? "as the provider does by itself"}`);
}

/** How soon the second Esc comes, in milliseconds. */
const twiceMs = 800;

const lastEscapeMs = new WeakMap<Tui, number>();

/** Esc twice on an empty line goes back in the conversation. */
function escapeTwice(tui: Tui): void {
  const now = performance.now();
  const isSecond = now - (lastEscapeMs.get(tui) ?? Number.NEGATIVE_INFINITY) < twiceMs;
  lastEscapeMs.set(tui, now);
  if (!isSecond) return;
  const isBegun = tui.scheduler.runAlone(async () => rewind.run("", tui));
  if (!isBegun) tui.showHint("Going back has to wait until nothing runs.");
}

function takeBackLast({ scheduler, editor }: Tui): void {
  const last = scheduler.takeBack();
  if (last) editor.setText([last.text, editor.text()].filter(Boolean).join("\n"));
}

function queueForEnd(tui: Tui): void {
  const text = tui.editor.text();
  tui.editor.setText("");
  submit(text, tui, "end");
}
