import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childStdio } from "@ikigai/core";
import { sanitiseLine } from "../../screen/sanitise.ts";
import { giveTerminalBack, takeTerminal } from "../surface/terminal-modes.ts";
import type { Tui } from "../tui.ts";

/** Lets the user write a message with the editor that `VISUAL` or `EDITOR` names. */
export function editElsewhere(tui: Tui): void {
  const directory = mkdtempSync(join(tmpdir(), "ikigai-message-"));
  const path = join(directory, "message.md");
  try {
    writeFileSync(path, tui.editor.text(), { mode: 0o600 });
    if (editFile(tui, path)) tui.editor.setText(readFileSync(path, "utf8").replace(/\n+$/, ""));
  } catch (error) {
    tui.hint = sanitiseLine((error as Error).message);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Opens a file in the user's editor, and waits until it is closed; says whether that went well. */
export function editFile(tui: Tui, path: string): boolean {
  const { env } = tui.session.agent;
  const command = env.VISUAL || env.EDITOR || "vi";
  tui.surface.hide();
  giveTerminalBack();
  // The variables hold a command with its arguments.
  const { status, error } = spawnSync("/bin/sh", ["-c", `${command} "$1"`, "sh", path], {
    stdio: childStdio("inherit", "inherit", "inherit"),
    env,
  });
  takeTerminal();
  tui.surface.show();
  const isDone = !error && status === 0;
  if (!isDone) tui.hint = `The editor ${sanitiseLine(command)} failed; the text is as it was.`;
  return isDone;
}
