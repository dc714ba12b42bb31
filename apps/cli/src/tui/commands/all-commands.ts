import type { Session } from "../../session/session.ts";
import type { SlashCommand } from "../../session/slash-command.ts";
import { quit, refresh, tool, trust } from "../../session/slash-commands.ts";
import { leave } from "../app/leave.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import { config } from "./config.ts";
import { compact, context } from "./context.ts";
import { copy } from "./copy.ts";
import { doctor } from "./doctor.ts";
import { exporting } from "./export.ts";
import { help } from "./help.ts";
import { jobs } from "./jobs.ts";
import { model, thinking } from "./models.ts";
import { permissions } from "./permissions.ts";
import { rewind } from "./rewind.ts";
import { clear, fork, fresh, resume } from "./sessions.ts";
import { calls } from "./show-calls.ts";

/** A command that prints lines, as the plain screen has it. */
function plain(command: SlashCommand, more: Partial<TuiCommand> = {}): TuiCommand {
  const { name, aliases, parameters, summary } = command;
  return {
    name,
    ...(aliases && { aliases }),
    ...(parameters !== undefined && { parameters }),
    summary,
    run: (argument, { session }: { session: Session }) => command.run(argument.split(/\s+/).filter(Boolean), session),
    ...more,
  };
}

/** What it changes may be commands. */
function reloading(command: TuiCommand): TuiCommand {
  return {
    ...command,
    async run(argument, tui) {
      await command.run(argument, tui);
      await tui.loadCommands();
    },
  };
}

const toolNames = async ({ session }: Tui) => (await session.agent.toolbox.last()).tools.map(({ name }) => name);

/** All of them, in the order of the help. */
export const allCommands: readonly TuiCommand[] = [
  plain(tool, { isQuick: true, complete: toolNames }),
  reloading(plain(refresh)),
  reloading(plain(trust)),
  model,
  thinking,
  permissions,
  resume,
  fresh,
  fork,
  rewind,
  exporting,
  context,
  compact,
  calls,
  jobs,
  copy,
  clear,
  config,
  doctor,
  help,
  plain(quit, { isQuick: true, run: (_, tui) => leave(tui) }),
];
