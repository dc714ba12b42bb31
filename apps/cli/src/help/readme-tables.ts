// The tables of the READMEs, from the data that the help has. `npm run tables` writes them.

import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { providerNames, providerTable } from "@ikigai/models";
import { decisiveFiles } from "@ikigai/sandbox";
import { commands } from "../args/commands.ts";
import { type CommandSyntax, mainOptions, synopsis } from "../args/option.ts";
import { commandWords, optionRows } from "./explain-command.ts";
import { slashCommandForm, slashCommandTable } from "./slash-command-table.ts";
import { conversationKeys, environmentVariables } from "./topics.ts";

/** The Markdown tables of the READMEs, generated from the same data as the help. */
export const readmeTables: Readonly<Record<string, string>> = {
  subcommands: table(
    ["command", "what it does", "options"],
    [
      ...synopsis.slice(0, 2).map(([what, meaning]) => [code(what), prose(meaning), "see below"]),
      ...Object.values<CommandSyntax>(commands).map((syntax) => [
        code(`ikigai ${commandWords(syntax)}`),
        prose(syntax.summary),
        optionRows(syntax.options)
          .map(([what]) => code(what))
          .join(", "),
      ]),
    ],
  ),
  options: table(
    ["option", "what it is for"],
    optionRows(mainOptions).map(([what, meaning]) => [code(what), prose(meaning)]),
  ),
  keys: table(
    ["key", "what it does"],
    conversationKeys.map(([keys, meaning]) => [keys.split(", ").map(keyName).join(", "), prose(meaning)]),
  ),
  "slash-commands": table(
    ["command", "what it does", "also"],
    Object.entries(slashCommandTable).map((command) => [
      code(slashCommandForm(command)),
      prose(command[1].summary),
      (command[1].aliases ?? []).map((alias) => code(`/${alias}`)).join(", "),
    ]),
  ),
  "decisive-files": table(
    ["path", "why"],
    [...new Set(decisiveFiles.map(({ why }) => why))].map((reason) => {
      const files = decisiveFiles.filter(({ why }) => why === reason);
      const where = files[0]?.isInHome ? "in your home only: " : "";
      return [files.map(({ path }) => code(path)).join(", "), `${where}${prose(reason)}`];
    }),
  ),
  modes: table(
    ["mode", "on the screen", "what happens to a call that no rule covers"],
    permissionModes.map((mode) => [
      code(mode),
      permissionModeTable[mode].title,
      prose(permissionModeTable[mode].about),
    ]),
  ),
  providers: table(
    ["model", "key", "base URL"],
    [
      ...providerNames.map((name) => [
        code(`${name}/…`),
        code(providerTable[name].keyVariable),
        code(providerTable[name].baseUrlVariable),
      ]),
      [code("ollama/…"), "none", code("OLLAMA_HOST")],
    ],
  ),
  variables: table(
    ["variable", "what it is for"],
    environmentVariables.map(([names, meaning]) => [names.split(", ").map(code).join(", "), prose(meaning)]),
  ),
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  return lines.join("").replace(/\| (?:--- \| ?)+/, `|${"---|".repeat(head.length)}`);
}

/** Formats code for a cell; a bar would end the cell. */
function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

/** `ctrl-j` as `Ctrl-J`; typed characters as code. */
function keyName(key: string): string {
  if (/^[@!]/.test(key)) return code(key.toUpperCase());
  const [first = "", ...rest] = key.split(" ");
  if (first === "\\") return `${code(first)} ${rest.map(capitalised).join(" ")}`;
  return [first.split("-").map(capitalised).join("-"), ...rest].join(" ");
}

function capitalised(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Marks keys, paths, variables and options in a description as code. */
function prose(text: string): string {
  return text
    .replace(/\b(ctrl|alt)-\w+\b/g, keyName)
    .replace(/(?<!\w)~?(?:\/[.\w]+)+|\$[A-Z]+|(?<=[ (])-p?(?=[ :])|\bfile_\w+|(?<= ):$/g, "`$&`");
}
