import type { Session } from "./session.ts";
import { commandCalled, noSuchCommand } from "./slash-command.ts";
import { slashCommands } from "./slash-commands.ts";

/** Whether a message is a slash command, and not a path that somebody begins with. */
export function isSlashCommand(message: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(message);
}

/** Runs what the user typed behind a slash. */
export async function runSlashCommand(message: string, session: Session): Promise<void> {
  const [name = "", ...args] = message.slice(1).trim().split(/\s+/);
  const command = commandCalled(name, slashCommands);
  if (command) return command.run(args, session);
  session.screen.print(`${noSuchCommand(name, slashCommands)}\n`);
}
