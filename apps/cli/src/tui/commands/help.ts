import { slashCommand, slashCommandForm } from "../../help/slash-command-table.ts";
import { conversationKeys } from "../../help/topics.ts";
import { unusedCommandFiles } from "../../session/own-commands.ts";
import { helpInConversation } from "../../session/slash-commands.ts";
import { openViewer } from "../app/open-dialog.ts";
import { say, type Tui, type TuiCommand } from "../app/tui.ts";
import { wrapBelowText, wrapStyled } from "../pi-tui/text.ts";

export const help: TuiCommand = {
  ...slashCommand("help"),
  isQuick: true,
  complete: async () => Object.keys((await import("../../help/topics.ts")).topics),
  async run(topic, tui) {
    if (topic !== "") return show(tui, await helpInConversation(topic.split(/\s+/), tui.session.agent.places));
    const commands = tui
      .commands()
      .map((command) => [slashCommandForm([command.name, command]), command.summary] as const);
    const unused = (await unusedCommandFiles(tui.session.agent.places)).map((line) => [line, ""] as const);
    const { footerParts, topicRows } = await import("../../help/help-on.ts");
    const heads = ["The last line, from left to right", "/help TOPIC explains"] as const;
    const blank = ["", ""] as const;
    const rows = [
      ...[...commands, ...unused, blank, ...conversationKeys],
      ...[blank, [heads[0], ""] as const, ...footerParts],
      ...[blank, [heads[1], ""] as const, ...topicRows()],
    ];
    const width = Math.max(...rows.map(([what, meaning]) => (meaning === "" ? 0 : what.length)));
    const parts = (columns: number) => [rows.flatMap((row) => inTwoColumns(row, width, columns))];
    openViewer(tui, { title: "Help", parts });
  },
};

/** Shows a text that needs most of the screen in the pager, any other in the conversation. */
function show(tui: Tui, text: string): void {
  const lines = text.trimEnd().split("\n");
  if (lines.length < tui.surface.rows / 2) say(tui, text);
  else openViewer(tui, { title: "Help", parts: (columns) => [lines.flatMap((line) => wrapBelowText(line, columns))] });
}

/** Lays out a row; the second column goes below the first if there is no room beside it. */
function inTwoColumns([what, meaning]: readonly [string, string], width: number, columns: number): string[] {
  const begin = columns > 2 * width ? width + 5 : 4;
  const [first = "", ...rest] = wrapStyled(meaning, columns - begin);
  const indent = " ".repeat(begin);
  const others = rest.map((line) => indent + line);
  if (begin > 4) return [`  ${what.padEnd(width)}   ${first}`.trimEnd(), ...others];
  return meaning === "" ? [`  ${what}`.trimEnd()] : [`  ${what}`, indent + first, ...others];
}
