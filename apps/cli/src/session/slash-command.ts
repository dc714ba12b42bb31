import { nearestWord } from "@ikigai/system";
import type { SlashCommandFacts } from "../help/slash-command-table.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "./session.ts";

/** What a command is called. */
export interface CommandNames {
  readonly name: string;
  /** What other agents call it. */
  readonly aliases?: readonly string[];
}

/** A command that starts with a slash. */
export interface SlashCommand extends CommandNames, SlashCommandFacts {
  run(args: readonly string[], session: Session): Promise<void>;
}

/** The command of that name. Its own name counts more than what others are called besides. */
export function commandCalled<Command extends CommandNames>(
  name: string,
  commands: readonly Command[],
): Command | undefined {
  return (
    commands.find((command) => command.name === name) ??
    commands.find(({ aliases }) => aliases?.includes(name) === true)
  );
}

/** Says that there is no such command, and which one was meant. */
export function noSuchCommand(name: string, commands: readonly CommandNames[]): string {
  const names = commands.map((command) => command.name);
  const meant = names.find((known) => name !== "" && known.startsWith(name)) ?? nearestWord(name, names);
  const advice = meant === undefined ? "/help lists the commands." : `Did you mean /${meant}?`;
  return `There is no command /${sanitiseLine(name)}. ${advice}`;
}

/** What was typed, as a command where it is one in a shell: who types nothing but `exit` wants to leave. */
export function asCommand(typed: string): string {
  return typed === "exit" || typed === "quit" ? "/quit" : typed;
}

/** Whether a message is a slash command, and not a path that somebody begins with. */
export function isSlashCommand(message: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(message);
}
