import { providerNames, providerTable } from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { columns, narrowColumns } from "./columns.ts";
import { conversationKeys } from "./conversation-keys.ts";
import { environmentVariables } from "./environment-variables.ts";
import { slashCommandForm, slashCommandTable } from "./slash-command-table.ts";
import agents from "./topics/agents.txt";
import commandsOfConversation from "./topics/commands.txt";
import config from "./topics/config.txt";
import editors from "./topics/editors.txt";
import environment from "./topics/environment.txt";
import exitCodes from "./topics/exit-codes.txt";
import files from "./topics/files.txt";
import hooks from "./topics/hooks.txt";
import instructions from "./topics/instructions.txt";
import keys from "./topics/keys.txt";
import launchers from "./topics/launchers.txt";
import mcp from "./topics/mcp.txt";
import models from "./topics/models.txt";
import permissions from "./topics/permissions.txt";
import print from "./topics/print.txt";
import protocol from "./topics/protocol.txt";
import replay from "./topics/replay.txt";
import sandbox from "./topics/sandbox.txt";
import sessions from "./topics/sessions.txt";
import skills from "./topics/skills.txt";
import tools from "./topics/tools.txt";
import trust from "./topics/trust.txt";
import web from "./topics/web.txt";

/** Texts generated from the program's own tables. A topic names a table as `{name}` on its own line, a list as `{name}` inside a line. */
const topicTables: Readonly<Record<string, string>> = {
  modes: narrowColumns(permissionModes.map((mode) => [mode, permissionModeTable[mode].about])),
  keys: narrowColumns(conversationKeys),
  slash: columns(
    Object.entries(slashCommandTable).map((command) => [slashCommandForm(command), command[1].summary]),
    26,
  ),
  variables: columns(environmentVariables, 24),
  providers: providerColumns(),
  "provider-names": providerNames.join(", "),
  "mode-names": permissionModes.join(", "),
};

/** A topic with its tables and lists filled in. */
function withTables(text: string): string {
  return text.replace(/^\{(\w+)\}\n|\{([\w-]+)\}/gm, (found, table: string | undefined, list = "") => {
    return topicTables[table ?? list] ?? found;
  });
}

function providerColumns(): string {
  const rows = [
    ["provider", "key", "base URL"],
    ...providerNames.map((name) => [name, providerTable[name].keyVariable, providerTable[name].baseUrlVariable]),
    ["ollama", "(none)", "OLLAMA_HOST"],
  ];
  const widths = [0, 1].map((column) => 2 + Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("")}\n`).join("");
}

/**
 * The topics of `ikigai help`, in the order in which it lists them. The first line is a summary; indented lines are printed
 * unchanged, in the manual too.
 */
export const topics: Readonly<Record<string, string>> = {
  tools,
  skills,
  protocol,
  permissions: withTables(permissions),
  web,
  mcp,
  hooks,
  agents,
  trust,
  sandbox,
  launchers,
  models: withTables(models),
  keys: withTables(keys),
  commands: withTables(commandsOfConversation),
  instructions,
  sessions,
  replay,
  print,
  editors,
  config: withTables(config),
  environment: withTables(environment),
  files,
  "exit-codes": exitCodes,
};

export function summaryOf(text: string): string {
  return text.slice(0, text.indexOf("\n"));
}
