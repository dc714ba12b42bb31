import { providerNames, providerTable } from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { commands } from "../args/commands.ts";
import { mainOptions, synopsis } from "../args/main-options.ts";
import type { CommandSyntax } from "../args/option.ts";
import { conversationKeys } from "./conversation-keys.ts";
import { environmentVariables } from "./environment-variables.ts";
import { commandRows, commandWords, optionRows } from "./explain-command.ts";
import { slashCommandForm, slashCommandTable } from "./slash-command-table.ts";

/** The keys in the front page's table. */
const frontKeys: readonly string[] = [
  "enter",
  "alt-enter",
  "esc, ctrl-c",
  "esc twice",
  "shift-tab",
  "ctrl-r",
  "ctrl-o",
  "ctrl-p",
  "ctrl-t",
  "@",
  "!command",
  "!!command",
] satisfies (typeof conversationKeys)[number][0][];

/** The Markdown tables of the READMEs, generated from the same data as the help. */
export const readmeTables: Readonly<Record<string, string>> = {
  commands: table(
    ["command", "what it does"],
    [...synopsis.slice(0, 2), ...commandRows().map(([what, meaning]) => [`ikigai ${what}`, meaning] as const)].map(
      ([what, meaning]) => [code(what), prose(meaning)],
    ),
  ),
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
  keys: keyTable(() => true),
  "front-keys": keyTable((keys) => frontKeys.includes(keys)),
  "slash-commands": table(
    ["command", "what it does", "also"],
    Object.entries(slashCommandTable).map((command) => [
      code(slashCommandForm(command)),
      prose(command[1].summary),
      (command[1].aliases ?? []).map((alias) => code(`/${alias}`)).join(", "),
    ]),
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
    providerNames.map((name) => [
      code(`${name}/…`),
      code(providerTable[name].keyVariable),
      code(providerTable[name].baseUrlVariable),
    ]),
  ),
  variables: table(
    ["variable", "what it is for"],
    environmentVariables.map(([names, meaning]) => [names.split(", ").map(code).join(", "), prose(meaning)]),
  ),
};

function keyTable(isWanted: (keys: string) => boolean): string {
  const rows = conversationKeys.filter(([keys]) => isWanted(keys));
  return table(
    ["key", "what it does"],
    rows.map(([keys, meaning]) => [keys.split(", ").map(keyName).join(", "), prose(meaning)]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  return lines.join("").replace(/\| (?:--- \| ?)+/, `|${"---|".repeat(head.length)}`);
}

/** A bar would end the cell. */
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
    .replace(/~?\/[.\w]+|\$[A-Z]+|(?<=[ (])-p?(?=[ :])|\bfile_\w+|(?<= ):$/g, "`$&`");
}
