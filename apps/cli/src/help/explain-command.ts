import { type CommandName, commands } from "../args/commands.ts";
import { type CommandSyntax, type Option, type Options, spelled, usageParts } from "../args/option.ts";
import { columns, fold, type Row } from "./columns.ts";
import { details } from "./details.ts";

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

/** What `ikigai help tool` prints: the commands that begin so. */
export function explainGroup(group: string): string {
  return `Usage: ikigai ${group} COMMAND\n\n${columns(commandRows(`${group} `))}\nikigai help ${group} COMMAND explains one.\n`;
}

/** The commands whose names begin so, each with its summary. */
export function commandRows(prefix = ""): Row[] {
  return Object.values<CommandSyntax>(commands)
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, operands, summary }) => {
      const given = operands.map(({ name: operand, isOptional }) => (isOptional ? `[${operand}]` : operand));
      return [[name, ...given].join(" "), summary];
    });
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
