import { type CustomCommand, customCommands, expandCommand } from "@ikigai/agent/internal";
import { trustStatus } from "@ikigai/core";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";

/** The commands that are files of the user's, or of a trusted project's. What they say is said to the model. */
export async function findCustomCommands(
  tui: Tui,
  answer: (text: string, tui: Tui) => Promise<void>,
): Promise<TuiCommand[]> {
  const { places } = tui.session.agent;
  const found = customCommands(places.home, await trustStatus(places));
  return found.map((command) => toTuiCommand(command, answer));
}

function toTuiCommand(command: CustomCommand, answer: (text: string, tui: Tui) => Promise<void>): TuiCommand {
  const { name, parameters, description, scope } = command;
  return {
    name,
    ...(parameters !== undefined && { parameters: sanitiseLine(parameters) }),
    summary: `${sanitiseLine(description)} (${scope})`,
    run: (argument, tui) => answer(expandCommand(command, argument), tui),
  };
}
