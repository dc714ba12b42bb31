import { sanitiseLine } from "../screen/sanitise.ts";
import type { Session } from "./session.ts";
import { slashCommands } from "./slash-commands.ts";

/** Runs what the user typed behind a slash. */
export async function runSlashCommand(message: string, session: Session): Promise<"quit" | "done"> {
  const [name = "", ...args] = message.slice(1).split(/\s+/);
  const command = slashCommands.find((candidate) => candidate.name === name);
  if (command) return (await command.run(args, session)) ?? "done";
  const names = slashCommands.map((candidate) => candidate.name);
  const meant = names.find((candidate) => candidate.startsWith(name));
  const advice = meant ? `Did you mean /${meant}?` : "/help lists the commands.";
  session.screen.print(`There is no command /${sanitiseLine(name)}. ${advice}\n`);
  return "done";
}
