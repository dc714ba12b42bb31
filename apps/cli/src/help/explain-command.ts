// The help of commands, from the tables in args/. In reading order: all commands, one command, a group, their rows; then the error for a wrong
// command line. The folder: help-on finds what words mean; explain-command with command-details, topics (texts in topics/), slash-command-table and
// other-agents have the answers; call-words are those of calls in a shell; man-page and readme-tables write files.

import { permissionModes } from "@ikigai/agent/permission-modes";
import type { IkigaiError } from "@ikigai/core/errors";
import { sanitise } from "@ikigai/screen";
import { nearestWord, shellWord } from "@ikigai/system";
import { type CommandName, commands, findCommand, hasOwnHelp, isCommandGroup } from "../args/commands.ts";
import {
  type CommandSyntax,
  mainOptions,
  type Option,
  type Options,
  spelled,
  synopsis,
  usageParts,
} from "../args/option.ts";
import { UsageError } from "../args/usage-error.ts";
import { columns, fold, type Row } from "./columns.ts";
import { details } from "./command-details.ts";
import { nearestMode, otherAnswer } from "./other-agents.ts";

const title = "ikigai: a terminal coding agent whose every tool is an external executable.";

const usage = columns(synopsis);

/** What `ikigai --help` prints. */
export function overview(): string {
  return [
    `${title}\n`,
    `Usage:\n${usage}`,
    `Commands:\n${columns(commandRows())}`,
    `Options:\n${columns(optionRows(mainOptions))}`,
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. More: ikigai help\n",
  ].join("\n");
}

/** What `ikigai help COMMAND` prints. */
export function explainCommand(name: CommandName): string {
  const syntax: CommandSyntax = commands[name];
  const more = details[name];
  return [
    `${fold(usageParts(syntax))}\n`,
    `${capitalised(syntax.summary)}.\n`,
    ...(more === undefined ? [] : [more]),
    ...(Object.keys(syntax.options).length > 0 ? [`Options:\n${columns(optionRows(syntax.options))}`] : []),
  ].join("\n");
}

/** What `ikigai help tool` prints: the commands of the group. */
export function explainGroup(group: string): string {
  return `Usage: ikigai ${group} COMMAND\n\n${columns(commandRows(`${group} `))}\nikigai help ${group} COMMAND explains one.\n`;
}

/** The commands whose names begin with `prefix`, each with its summary. */
export function commandRows(prefix = ""): Row[] {
  return Object.values<CommandSyntax>(commands)
    .filter(({ name }) => name.startsWith(prefix))
    .map((syntax) => [commandWords(syntax), syntax.summary]);
}

/** A command with its operands: `tool call NAME [JSON | -]`. */
export function commandWords({ name, operands }: CommandSyntax): string {
  const given = operands.map(({ name: operand, isOptional }) => (isOptional ? `[${operand}]` : operand));
  return [name, ...given].join(" ");
}

export function optionRows(options: Options): Row[] {
  return Object.entries<Option>(options).map(([name, option]) => {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    return [`${short}${spelled(name, option)}`, option.summary];
  });
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What is wrong with a command line, what it probably meant, and the command that explains it. */
export function usageMessage(error: IkigaiError, argv: readonly string[]): string {
  const hint = error.hint === undefined ? "" : ` ${error.hint}`;
  const message = otherName(error, argv) ?? `${sanitise(error.message + hint)}${suggestion(error)}`;
  return `${message}\nTry: ${helpFor(argv)}`;
}

/** What to type instead of a command or an option of another agent, also of one in a group of ours. */
function otherName(error: IkigaiError, argv: readonly string[]): string | undefined {
  const got = error instanceof UsageError ? error.unknown?.got : undefined;
  const command = findCommand(argv)?.name;
  const [group = ""] = argv;
  const isOption = got?.startsWith("-") === true;
  // After a command, another word is an operand: `tool show rm`.
  if (got === undefined || (command !== undefined && !isOption)) return undefined;
  const isInGroup = isCommandGroup(group);
  if (!isInGroup && command !== undefined) return undefined;
  const answer = otherAnswer(isInGroup ? `${group} ${got}` : got);
  const owner = isInGroup ? `ikigai ${command ?? group} has no` : "No";
  return answer === undefined ? undefined : `${owner} ${isOption ? "option" : "command"} ${got}. ${answer}`;
}

function suggestion(error: IkigaiError): string {
  const unknown = error instanceof UsageError ? error.unknown : undefined;
  if (unknown === undefined) return "";
  const { got, known, meant } = unknown;
  const nearest = known === permissionModes ? nearestMode(got) : (meant ?? nearestWord(got, known));
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** The command line that prints the help for another one. */
function helpFor(argv: readonly string[]): string {
  const command = findCommand(argv)?.name ?? (isCommandGroup(argv[0]) ? argv[0] : undefined);
  if (command === "help") return "ikigai help";
  const found = findCommand(argv);
  const operand = found && hasOwnHelp(found) ? ` ${sanitise(shellWord(found.args[0] ?? ""))}` : "";
  return command === undefined ? "ikigai --help" : `ikigai ${command}${operand} --help`;
}
