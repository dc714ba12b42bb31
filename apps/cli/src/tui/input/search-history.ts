import { sanitiseLine } from "../../screen/sanitise.ts";
import { shortPath } from "../../screen/short-path.ts";
import { pick } from "../dialogs/pick.ts";
import type { Tui } from "../tui.ts";
import { redraw } from "../tui.ts";
import { readHistory } from "./history.ts";

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
  redraw(tui, true);
}
