// What a line that begins with a slash names: a command, or what to type instead.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandProblems } from "@ikigai/agent/internal";
import { untrustedWords } from "@ikigai/core/trust";
import { sanitiseLine } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import {
  isSlashCommandName,
  type SlashCommandName,
  slashCommand,
  slashCommandNames,
} from "../../help/slash-command-table.ts";
import type { Session } from "../session.ts";

/** The names of a command. */
export interface CommandNames {
  readonly name: string;
  /** Names that other agents use for it. */
  readonly aliases?: readonly string[];
}

/** Finds a command. A command's own name takes precedence over aliases of others. */
export function commandCalled<Command extends CommandNames>(
  name: string,
  commands: readonly Command[],
): Command | undefined {
  return (
    commands.find((command) => command.name === name) ??
    commands.find(({ aliases }) => aliases?.includes(name) === true)
  );
}

/** Where a slash command was typed: on the full screen, in line mode, or in the prompt of `-p`. */
export type SlashPlace = "screen" | "lines" | "print";

/** Says what to type instead of a command that is not there. With `-p`, that is for a shell. */
export async function noSuchCommand(
  name: string,
  commands: readonly CommandNames[],
  { agent }: Pick<Session, "agent">,
  place: SlashPlace = "screen",
): Promise<string> {
  const isPrint = place === "print";
  if (isSlashCommandName(name)) return missingHere(name, place);
  const { skills, trust } = await agent.toolbox.current();
  const isTrusted = trust === "trusted" || trust === "nothing";
  const { home, projectDir } = agent.places;
  const isOfProject = isFile(name, join(projectDir, ".ikigai"));
  if (!isTrusted && isOfProject)
    return `/${name} is a command of the project, which is ${untrustedWords(trust)}. See: ${isPrint ? "ikigai trust" : "/trust"}`;
  const [unsafe] = isOfProject ? [] : commandProblems(home, name);
  if (unsafe !== undefined) return sanitiseLine(unsafe);
  if (isOfProject || isFile(name, home)) return `The file of /${name} is empty or too long.`;
  if (skills.some((skill) => skill.name === name)) return `${name} is a skill. To load it: /load ${name}`;
  if (isFile(name, join(projectDir, ".claude")))
    return `Copy .claude/commands/${name.replaceAll(":", "/")}.md to .ikigai/commands/, and it becomes /${name}.`;
  const { otherAnswer } = await import("../../help/other-agents.ts");
  const other = otherAnswer(`/${name}`);
  if (other !== undefined) return `/${name}: ${other}`;
  const elsewhere = ownerOf(name);
  if (elsewhere) return missingHere(elsewhere, place);
  const names = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  const meant = names.find((known) => name !== "" && known.startsWith(name)) ?? nearestWord(name, names);
  const list = isPrint ? "ikigai help commands" : "/help";
  const advice = meant === undefined ? `${list} lists the commands.` : `Did you mean /${meant}?`;
  return `There is no command /${sanitiseLine(name)}. ${advice}`;
}

/** The command of ikigai that has an alias. */
function ownerOf(alias: string): SlashCommandName | undefined {
  return slashCommandNames.find((name) => slashCommand(name).aliases?.includes(alias));
}

/** Says what to do instead of a command of ikigai that there is not here. */
function missingHere(name: SlashCommandName, place: SlashPlace): string {
  const where =
    place === "print" ? "is for a conversation, not for -p" : "needs the full screen, on a terminal, without --plain";
  const { inShell } = slashCommand(name);
  return `/${name} ${where}.${inShell === undefined ? "" : ` In a shell: ${inShell}`}`;
}

/** Whether a directory of the user or the project has a file for this command. */
function isFile(name: string, directory: string): boolean {
  if (!/^[A-Za-z0-9][\w:-]*$/.test(name)) return false;
  return existsSync(join(directory, "commands", `${name.replaceAll(":", "/")}.md`));
}

/** Turns a lone `exit` or `quit` into the command /quit, as in a shell. */
export function asCommand(typed: string): string {
  return typed === "exit" || typed === "quit" ? "/quit" : typed;
}

/** Whether a message is a slash command, and not one that begins with a path. */
export function isSlashCommand(message: string): boolean {
  return /^\/[^/\s]*(\s|$)/.test(message);
}
