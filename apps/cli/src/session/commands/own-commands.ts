// The user's own slash commands, files in Markdown: finds and lists them, and fills in what they send.

import { type CustomCommand, customCommands } from "@ikigai/agent/internal";
import { trustStatus } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import type { Row } from "../../help/columns.ts";
import { isSlashCommandName, slashCommandForm } from "../../help/slash-command-table.ts";
import type { Agent } from "../../host/conversation/agent-from-flags.ts";
import { shortPath } from "../../render/short-forms.ts";
import type { Session } from "../session.ts";

/** The user's own commands, and those of a trusted project. A name of ikigai's commands stays ikigai's; an alias is theirs to use. */
export async function ownCommands(places: Agent["places"]): Promise<CustomCommand[]> {
  return (await commandFiles(places)).filter(({ name }) => !isSlashCommandName(name));
}

/**
 * The command files that are not used because ikigai has a command of that name, a sentence each.
 *
 * @param wanted only the file for this name.
 */
export async function unusedCommandFiles(places: Agent["places"], wanted?: string): Promise<string[]> {
  const named = (name: string) => isSlashCommandName(name) && (wanted ?? name) === name;
  const files = wanted === undefined || named(wanted) ? await commandFiles(places) : [];
  return files.flatMap(({ name, path }) => {
    if (!named(name)) return [];
    return `${shortPath(path, places)} is not used: /${name} is a command of ikigai. Give the file another name.`;
  });
}

async function commandFiles(places: Agent["places"]): Promise<CustomCommand[]> {
  return customCommands(places.home, await trustStatus(places));
}

/** The text of `/help NAME`; undefined if no command has this name. */
export async function helpOnOwnCommand(word: string, places: Agent["places"]): Promise<string | undefined> {
  const command = (await ownCommands(places)).find(({ name }) => name === word.replace(/^\//, ""));
  if (!command) return undefined;
  const { form, description, scope, path } = printable(command, places);
  return `  ${form}   ${description}\nA command of the ${scope}: ${path}\n`;
}

/** Their rows in `/help`. */
export async function ownCommandRows(places: Agent["places"]): Promise<Row[]> {
  const commands = await ownCommands(places);
  return commands.map((command) => {
    const { form, description, scope } = printable(command, places);
    return [form, `${description} (${sanitiseLine(command.package ?? scope)})`];
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

/** What one of them sends to the model. */
interface OwnMessage {
  readonly text: string;
  /** What the user should know about the file, a sentence each. */
  readonly notices: readonly string[];
}

/** What a message sends that is one of them. Undefined for any other message. */
export async function ownMessage(message: string, places: Agent["places"]): Promise<OwnMessage | undefined> {
  const [, name, args = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(message) ?? [];
  if (name === undefined || isSlashCommandName(name)) return undefined;
  const command = (await ownCommands(places)).find((one) => one.name === name);
  return command && expandOwn(command, args, places);
}

/**
 * Returns a command's text with its arguments: `$ARGUMENTS` is all of them, `$1` to `$9` one each. Without such a
 * placeholder they are appended.
 */
export function expandCommand({ text }: CustomCommand, args: string): string {
  const words = args.trim() === "" ? [] : args.trim().split(/\s+/);
  const hasPlace = /\$(?:ARGUMENTS\b|[1-9])/.test(text);
  const expanded = text.replace(/\$(ARGUMENTS\b|[1-9])/g, (_, place: string) =>
    place === "ARGUMENTS" ? args.trim() : (words[Number(place) - 1] ?? ""),
  );
  return hasPlace || words.length === 0 ? expanded : `${expanded}\n\n${args.trim()}`;
}

/** What a command sends. Claude Code would run a command between !` and ` in its text; ikigai runs only what the user has agreed to. */
export function expandOwn(command: CustomCommand, args: string, places: Agent["places"]): OwnMessage {
  const text = expandCommand(command, args);
  const [notRun] = /!`[^`\n]+`/.exec(command.text) ?? [];
  const notice = `${shortPath(command.path, places)}: ${notRun} is sent as text, and not run. Let the file tell the model to run it.`;
  return { text, notices: notRun === undefined ? [] : [sanitiseLine(notice)] };
}

const told = new WeakMap<Session, Set<string>>();

/** Prints what the user should know about a command's file, unless that was done before. */
export function tellOnce(session: Session, notices: readonly string[]): void {
  const { screen } = session;
  const before = told.get(session) ?? new Set();
  told.set(session, before);
  for (const notice of notices.filter((one) => !before.has(one))) {
    before.add(notice);
    screen.print(screen.style.yellow(`${notice}\n`));
  }
}
