import { type CustomCommand, customCommands, expandCommand } from "@ikigai/agent/internal";
import { trustStatus } from "@ikigai/core";
import type { Agent } from "../host/open-agent.ts";

/** The user's own commands, and those of a trusted project. */
export async function ownCommands(places: Agent["places"]): Promise<CustomCommand[]> {
  return customCommands(places.home, await trustStatus(places));
}

/** What a message sends that is one of them: the text of its file. Undefined for any other message. */
export async function ownCommandText(message: string, places: Agent["places"]): Promise<string | undefined> {
  const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
  const command = name === undefined ? undefined : (await ownCommands(places)).find((one) => one.name === name);
  return command && expandCommand(command, args);
}
