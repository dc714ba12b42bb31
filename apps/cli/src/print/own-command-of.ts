// The user's own command that a prompt names, for -p. Loaded only by a prompt that begins with a slash.

import { UsageError } from "../args/usage-error.ts";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import { printError } from "../host/terminal/stdout.ts";
import { isSlashCommand, noSuchCommand } from "../session/commands/find-command.ts";
import { ownCommands, ownMessage, unusedCommandFiles } from "../session/commands/own-commands.ts";

/**
 * The text of the command that a prompt names; `undefined` if it begins with a path. Loaded only by a prompt that begins with a slash.
 *
 * @throws UsageError if there is no such command.
 */
export async function ownCommandOf(prompt: string, agent: Agent): Promise<string | undefined> {
  const own = await ownMessage(prompt, agent.places);
  for (const notice of own?.notices ?? []) printError(`${notice}\n`);
  if (own || !isSlashCommand(prompt)) return own?.text;
  const name = prompt.slice(1).split(/\s/, 1)[0] ?? "";
  const unused = await unusedCommandFiles(agent.places, name);
  const advice = await noSuchCommand(name, await ownCommands(agent.places), { agent }, "print");
  throw new UsageError([...unused, advice].join(" "));
}
