import { say } from "../app/say.ts";
import type { TuiCommand } from "../app/tui.ts";
import { fixedBlock } from "../components/block.ts";
import { wrapStyled } from "../pi-tui/text.ts";

export const keysOfHelp = [
  ["enter", "send; while the model works: for its next step"],
  ["alt-enter", "send when the answer is there"],
  ["shift-enter, ctrl-j, \\ enter", "a new line"],
  ["esc, ctrl-c", "stop the answer and the calls"],
  ["esc twice", "go back in the conversation, when nothing is written: /rewind"],
  ["ctrl-c twice, ctrl-d", "quit, when nothing is written"],
  ["up", "what was typed before; what is queued comes back"],
  ["ctrl-r", "search what was typed, in all projects"],
  ["ctrl-o", "all calls, with nothing left out"],
  ["ctrl-v", "the clipboard's image"],
  ["ctrl-g", "write in $EDITOR"],
  ["shift-tab", "ask, allow edits, plan, allow all"],
  ["ctrl-t", "how much the model thinks"],
  ["ctrl-p", "the next model"],
  ["ctrl-l", "clear the screen"],
  ["@", "a file of the project; images are shown to the model"],
  ["!command", "run a command yourself, as part of the conversation"],
  ["!!command", "run a command yourself, apart from it"],
] as const;

export const help: TuiCommand = {
  name: "help",
  parameters: "[TOPIC]",
  summary: "this list, or what `ikigai help TOPIC` explains",
  isQuick: true,
  complete: async () => Object.keys((await import("../../help/topics.ts")).topics),
  async run(topic, tui) {
    if (topic !== "") return say(tui, (await import("../../help/help-on.ts")).helpOrProblem(topic.split(/\s+/)));
    const commands = tui.commands().map(({ name, parameters, summary }) => {
      return [`/${name}${parameters === undefined ? "" : ` ${parameters}`}`, summary] as const;
    });
    const rows = [...commands, ["", ""] as const, ...keysOfHelp];
    const width = Math.max(...rows.map(([what]) => what.length));
    const render = (columns: number) => rows.flatMap((row) => inTwoColumns(row, width, columns));
    tui.transcript.add(fixedBlock("note", render));
  },
};

/** Where the second column has no room, it goes on below the first. */
function inTwoColumns([what, meaning]: readonly [string, string], width: number, columns: number): string[] {
  const begin = columns > 2 * width ? width + 5 : 4;
  const [first = "", ...rest] = wrapStyled(meaning, columns - begin);
  const indent = " ".repeat(begin);
  const others = rest.map((line) => indent + line);
  if (begin > 4) return [`  ${what.padEnd(width)}   ${first}`.trimEnd(), ...others];
  return meaning === "" ? [""] : [`  ${what}`, indent + first, ...others];
}
