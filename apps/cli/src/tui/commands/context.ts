import { contextUse } from "@ikigai/agent/internal";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { tokenCount } from "../../render/short-forms.ts";
import { compactSession } from "../../session/compact.ts";
import { contextOf } from "../app/render-screen.ts";
import { say, type TuiCommand } from "../app/tui.ts";
import { working } from "../app/working.ts";

/** The longest bar. */
const maxBarColumns = 24;

export const context: TuiCommand = {
  ...slashCommand("context"),
  isQuick: true,
  async run(_, tui) {
    const { agent, model, screen } = tui.session;
    const use = contextUse(agent.conversation, await contextOf(tui));
    const window = agent.models.of(model.id)?.contextWindow;
    const rows: (readonly [string, number])[] = [
      ["instructions", use.system],
      ...use.tools.map(({ name, tokens }) => [`schema of ${name}`, tokens] as const),
      ["your messages", use.user],
      ["answers and calls", use.assistant],
      ...use.results.map(({ name, tokens }) => [`results of ${name}`, tokens] as const),
    ];
    const width = Math.max(...rows.map(([what]) => what.length));
    // What is beside the bar: the name, the number, and the gaps.
    const barColumns = Math.min(maxBarColumns, Math.max(0, tui.surface.columns - width - 12));
    const most = Math.max(1, ...rows.map(([, tokens]) => tokens));
    const share =
      window === undefined
        ? "context window unknown"
        : `${Math.round((100 * use.total) / window)} % of ${tokenCount(window)}`;
    const lines = rows.map(([what, tokens]) => {
      const bar = screen.signs.full.repeat(Math.round((barColumns * tokens) / most));
      return `  ${sanitiseLine(what).padEnd(width)}  ${tokenCount(tokens).padStart(6)}  ${tui.theme.style.cyan(bar)}`;
    });
    say(tui, [`${tui.theme.style.bold("Context")}  ${tokenCount(use.total)} tokens, ${share}`, ...lines].join("\n"));
  },
};

export const compact: TuiCommand = {
  ...slashCommand("compact"),
  async run(focus, tui) {
    const { session, theme } = tui;
    if (session.agent.conversation.messages.length === 0) return say(tui, "No messages yet.");
    await working(tui, "compacting", async (signal) => {
      const { text, hasFailed } = await compactSession(session, focus, signal);
      say(tui, hasFailed ? theme.style.yellow(sanitise(text)) : text);
    });
  },
};
