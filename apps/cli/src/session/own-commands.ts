import { type CustomCommand, customCommands, expandCommand } from "@ikigai/agent/internal";
import { trustStatus } from "@ikigai/core";
import type { Row } from "../help/columns.ts";
import { slashCommandForm } from "../help/slash-command-table.ts";
import type { Agent } from "../host/open-agent.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-path.ts";
import { type CommandNames, commandCalled } from "./slash-command.ts";

/** The user's own commands, and those of a trusted project. */
export async function ownCommands(places: Agent["places"]): Promise<CustomCommand[]> {
  return customCommands(places.home, await trustStatus(places));
}

/** Those that can be typed in a conversation: its own commands take precedence. @param names the names of these, with other spellings */
export async function typedOwnCommands(
  places: Agent["places"],
  names: readonly CommandNames[],
): Promise<CustomCommand[]> {
  return (await ownCommands(places)).filter(({ name }) => commandCalled(name, names) === undefined);
}

/** The text of `/help NAME`; undefined if no command has this name. */
export async function helpOnOwnCommand(word: string, places: Agent["places"]): Promise<string | undefined> {
  const command = (await ownCommands(places)).find(({ name }) => name === word.replace(/^\//, ""));
  if (!command) return undefined;
  const { form, description, scope, path } = printable(command, places);
  return `  ${form}   ${description}\nA command of the ${scope}: ${path}\n`;
}

/** Their rows in `/help`. */
export async function ownCommandRows(places: Agent["places"], names: readonly CommandNames[]): Promise<Row[]> {
  const commands = await typedOwnCommands(places, names);
  return commands.map((command) => {
    const { form, description, scope } = printable(command, places);
    return [form, `${description} (${scope})`];
  });
}

function printable({ name, parameters, description, scope, path }: CustomCommand, places: Agent["places"]) {
  const form = slashCommandForm([name, { summary: "", ...(parameters !== undefined && { parameters }) }]);
  return {
    form: sanitiseLine(form),
    description: sanitiseLine(description),
    scope,
    path: sanitiseLine(shortPath(path, places)),
  };
}

/** What a message sends that is one of them: the text of its file. Undefined for any other message. */
export async function ownCommandText(message: string, places: Agent["places"]): Promise<string | undefined> {
  const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
  const command = name === undefined ? undefined : (await ownCommands(places)).find((one) => one.name === name);
  return command && expandCommand(command, args);
}
