import { readHistory } from "../../host/history.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { pick } from "../app/open-dialog.ts";
import type { Tui } from "../app/tui.ts";

/** Looks for something that was typed before, in whatever project. */
export async function searchHistory(tui: Tui): Promise<void> {
  const { places } = tui.session.agent;
  const byText = new Map(readHistory(places.home).map((entry) => [entry.text, entry]));
  const choices = [...byText.values()].reverse().map(({ cwd, text }) => ({
    value: text,
    label: sanitiseLine(text.replace(/\s+/g, " ")),
    ...(cwd !== places.projectDir && { remark: shortPath(cwd, { projectDir: "" }) }),
  }));
  const found = await pick(tui, { title: "History", choices, none: "Nothing of what was typed matches.", filter: "" });
  if (found !== undefined) tui.editor.setText(found);
}
