import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programEnvironment } from "@ikigai/core/internal";
import { temporaryPath, withoutEnd } from "@ikigai/system";
import { editorCommand, editorFailure } from "../../host/editor-environment.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { runInForeground } from "./run-in-terminal.ts";
import type { Tui } from "./tui.ts";

/** Opens the message in the editor that `VISUAL` or `EDITOR` names. */
export async function editElsewhere(tui: Tui): Promise<void> {
  try {
    const before = tui.editor.text();
    const written = await editText(tui, before, "message.md");
    if (written !== undefined) tui.editor.setText(withAdded(tui.editor.text(), before, written));
  } catch (error) {
    tui.showHint(sanitiseLine((error as Error).message));
  }
}

/** Opens the text of a dialog in that editor; undefined if it is not saved. */
export async function editDraft(tui: Tui, text: string, name: string): Promise<string | undefined> {
  try {
    return await editText(tui, text, name);
  } catch (error) {
    tui.showHint(sanitiseLine((error as Error).message));
    return undefined;
  }
}

async function editText(tui: Tui, text: string, name: string): Promise<string | undefined> {
  const directory = mkdtempSync(temporaryPath("draft-"));
  const path = join(directory, name);
  try {
    writeFileSync(path, text, { mode: 0o600 });
    return (await editFile(tui, path)) ? withoutEnd(readFileSync(path, "utf8"), "\n") : undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Keeps queued messages that came back before the text because a turn was stopped while the editor was open. */
function withAdded(now: string, before: string, written: string): string {
  if (now === before) return written;
  return now.endsWith(before) ? now.slice(0, now.length - before.length) + written : `${now}\n${written}`;
}

/** Opens a file in the user's editor and returns whether it succeeded. A running turn continues meanwhile. */
export async function editFile(tui: Tui, path: string): Promise<boolean> {
  const { env, places } = tui.session.agent;
  // The variables hold a command with its arguments.
  const command = [`${editorCommand(env)} "$1"`, path] as const;
  const { exitCode } = await runInForeground(tui, command, { env: programEnvironment(env, places.projectDir) });
  if (exitCode !== 0) tui.showHint(`The text is unchanged. ${sanitiseLine(editorFailure(env, exitCode))}`);
  return exitCode === 0;
}
