import type { Session } from "../../repl/session.ts";
import type { SlashCommand } from "../../repl/slash-command.ts";
import { quit, refresh, tool, trust } from "../../repl/slash-commands.ts";
import type { Tui, TuiCommand } from "../tui.ts";
import { help } from "./help.ts";

/** A command that prints lines, as the plain screen has it. */
function plain(command: SlashCommand, more: Partial<TuiCommand> = {}): TuiCommand {
  const { name, parameters, summary } = command;
  return {
    name,
    ...(parameters !== undefined && { parameters }),
    summary,
    run: (argument, { session }: { session: Session }) => command.run(argument.split(/\s+/).filter(Boolean), session),
    ...more,
  };
}

const toolNames = async ({ session }: Tui) => (await session.agent.toolbox.last()).tools.map(({ name }) => name);

/** All of them, in the order of the help. */
export const allCommands: readonly TuiCommand[] = [
  plain(tool, { isQuick: true, complete: toolNames }),
  plain(refresh),
  plain(trust),
  help,
  plain(quit, { isQuick: true, run: (_, tui) => tui.leave() }),
];
