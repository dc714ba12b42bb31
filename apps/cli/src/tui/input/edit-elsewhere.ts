import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sanitiseLine } from "../../screen/sanitise.ts";
import { giveTerminalBack, takeTerminal } from "../surface/terminal-modes.ts";
import type { Tui } from "../tui.ts";

/** Lets the user write with the editor that `VISUAL` or `EDITOR` names. */
export function editElsewhere(tui: Tui): void {
  const { env } = tui.session.agent;
  const command = env.VISUAL || env.EDITOR || "vi";
  const directory = mkdtempSync(join(tmpdir(), "ikigai-message-"));
  const path = join(directory, "message.md");
  tui.surface.hide();
  giveTerminalBack();
  try {
    writeFileSync(path, tui.editor.text(), { mode: 0o600 });
    // The variables hold a command with its arguments.
    const { status, error } = spawnSync("/bin/sh", ["-c", `${command} "$1"`, "sh", path], { stdio: "inherit", env });
    if (error || status !== 0) tui.hint = `The editor ${sanitiseLine(command)} failed; the text is as it was.`;
    else tui.editor.setText(readFileSync(path, "utf8").replace(/\n+$/, ""));
  } catch (error) {
    tui.hint = sanitiseLine((error as Error).message);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    takeTerminal();
    tui.surface.show();
  }
}
