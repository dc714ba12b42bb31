import { sanitiseLine } from "../../render/sanitise.ts";
import { changes } from "../../session/changes.ts";
import { init } from "../../session/init.ts";
import { expandOwn, ownCommands, tellOnce } from "../../session/own-commands.ts";
import type { SlashCommand } from "../../session/slash-command.ts";
import { load, quit, refresh, tool, trust } from "../../session/slash-commands.ts";
import { memory, network, status, todos } from "../../session/state-commands.ts";
import { answer } from "../app/submit.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import { working } from "../app/working.ts";
import { agents } from "./agents.ts";
import { compact, context } from "./context.ts";
import { copy } from "./copy.ts";
import { exporting } from "./export.ts";
import { help } from "./help.ts";
import { jobs, leave } from "./jobs.ts";
import { model, thinking } from "./models.ts";
import { permissions } from "./permissions.ts";
import { rewind } from "./rewind.ts";
import { clear, fork, fresh, resume } from "./sessions.ts";
import { config, doctor } from "./setup.ts";
import { calls } from "./show-calls.ts";

/** Adapts a line-mode command. */
function plain(command: SlashCommand, more: Partial<TuiCommand> = {}): TuiCommand {
  const { name, aliases, parameters, summary } = command;
  return {
    name,
    ...(aliases && { aliases }),
    ...(parameters !== undefined && { parameters }),
    summary,
    run: (argument, tui) =>
      command.run(argument.split(/\s+/).filter(Boolean), tui.session, (run) => working(tui, "working", run)),
    ...more,
  };
}

/** Reloads the custom commands after a command that may change them. */
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

const loadable = async ({ session }: Tui) => {
  const { completedNames } = await import("../../session/load-command.ts");
  return completedNames(await session.agent.toolbox.last());
};

/** All built-in commands, in the order of the help. */
export const allCommands: readonly TuiCommand[] = [
  resume,
  fresh,
  compact,
  rewind,
  plain(changes),
  model,
  thinking,
  permissions,
  plain(network, { isQuick: true }),
  plain(status, { isQuick: true }),
  context,
  exporting,
  copy,
  fork,
  plain(memory, { isQuick: true }),
  plain(init),
  calls,
  jobs,
  agents,
  plain(todos, { isQuick: true }),
  plain(tool, { isQuick: true, complete: toolNames }),
  plain(load, { complete: loadable }),
  reloading(plain(refresh)),
  reloading(plain(trust)),
  clear,
  config,
  doctor,
  help,
  plain(quit, { isQuick: true, run: (_, tui) => leave(tui) }),
];

/** The custom commands: files of the user and of a trusted project, whose text is sent to the model. */
export async function findCustomCommands({ session }: Tui): Promise<TuiCommand[]> {
  const { places } = session.agent;
  return (await ownCommands(places)).map((command) => {
    const { name, parameters, description, scope } = command;
    return {
      name,
      ...(parameters !== undefined && { parameters: sanitiseLine(parameters) }),
      summary: `${sanitiseLine(description)} (${scope})`,
      isFromFile: true,
      run(argument, tui) {
        const { text, notices } = expandOwn(command, argument, places);
        tellOnce(tui.session, notices);
        return answer(text, tui, `/${name} ${argument}`.trim());
      },
    };
  });
}
