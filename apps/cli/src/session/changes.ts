import { expectedMessage, openProjectUndo } from "@ikigai/agent/internal";
import { slashCommand } from "../help/slash-command-table.ts";
import { sanitise } from "../render/sanitise.ts";
import type { Session } from "./session.ts";
import type { SlashCommand } from "./slash-command.ts";

/** More is read in an editor. */
const maxLines = 400;

/** Shows what calls changed in the project: during the last turn, or the whole session. */
export const changes: SlashCommand = {
  ...slashCommand("changes"),
  async run([which], session) {
    const { screen } = session;
    if (which !== undefined && which !== "all") return screen.print("Expected /changes or /changes all.\n");
    try {
      const text = await diffOf(session, which === "all");
      screen.print(text === "" ? "No changes.\n" : text);
    } catch (error) {
      screen.print(screen.style.red(`${sanitise(expectedMessage(error))}\n`));
    }
  },
};

async function diffOf({ agent, screen }: Session, isWhole: boolean): Promise<string> {
  const { id } = agent.conversation;
  const saving = agent.undoOf(id);
  if (saving === undefined) return 'Nothing is saved: the configuration has "undo": false.\n';
  await saving.settled();
  const { undo } = await openProjectUndo({ ...agent.places, env: agent.env }, id);
  const snapshots = await undo.list();
  const isStart = ({ kind }: { readonly kind: string }) => kind === "before";
  const start = isWhole ? snapshots.findIndex(isStart) : snapshots.findLastIndex(isStart);
  const from = snapshots[start];
  const to = snapshots.slice(start + 1).findLast(({ kind }) => kind === "after" || kind === "undone");
  if (from === undefined || to === undefined) return "";
  const { green, red, bold } = screen.style;
  const lines = (await undo.diff(from.id, to.id)).trimEnd().split("\n").filter(Boolean).map(sanitise);
  const painted = lines.slice(0, maxLines).map((line) => {
    if (/^(diff|\+\+\+|---) /.test(line)) return bold(line);
    return line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line;
  });
  const left = lines.length - maxLines;
  return `${[...painted, ...(left > 0 ? [`… ${left} more lines`] : [])].join("\n")}\n`;
}
