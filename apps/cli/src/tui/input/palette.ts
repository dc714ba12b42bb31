import { slashCommandForm } from "../../help/slash-command-table.ts";
import { pick } from "../app/open-dialog.ts";
import { submit } from "../app/submit.ts";
import type { Tui } from "../app/tui.ts";

/** Lets the user search the slash commands. One that needs an argument is put into the editor, any other runs. */
export async function openPalette(tui: Tui): Promise<void> {
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
