import { nearestWord } from "@ikigai/system";
import { otherSlashWords } from "../help/other-slash-words.ts";
import { type SlashCommandFacts, slashCommandTable } from "../help/slash-command-table.ts";
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

/** Says what to type instead of a command that this screen lacks. */
export function noSuchCommand(name: string, commands: readonly CommandNames[]): string {
  if (Object.hasOwn(otherSlashWords, name)) return `/${name}: ${otherSlashWords[name]}`;
  const elsewhere = commandCalled(name, allNames);
  if (elsewhere) return `/${elsewhere.name} needs the full screen: start ikigai on a terminal, without --plain.`;
  const names = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const meant = names.find((known) => name !== "" && known.startsWith(name)) ?? nearestWord(name, names);
  const advice = meant === undefined ? "/help lists the commands." : `Did you mean /${meant}?`;
  return `There is no command /${sanitiseLine(name)}. ${advice}`;
}

/** Of the full screen, which has every command. */
const allNames: readonly CommandNames[] = Object.entries(slashCommandTable).map(([name, facts]) => ({
  name,
  ...facts,
}));

/** What was typed, as a command where it is one in a shell: who types nothing but `exit` wants to leave. */
export function asCommand(typed: string): string {
  return typed === "exit" || typed === "quit" ? "/quit" : typed;
}

/** Whether a message is a slash command, and not a path that somebody begins with. */
export function isSlashCommand(message: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(message);
}
