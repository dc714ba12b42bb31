import { providerNames, providerTable } from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { columns, narrowColumns } from "./columns.ts";
import { conversationKeys } from "./conversation-keys.ts";
import { environmentVariables } from "./environment-variables.ts";

/** The tables of the topics that are made of what the program itself goes by. A topic names one as `{name}` in a line of its own. */
const topicTables: Readonly<Record<string, string>> = {
  modes: narrowColumns(permissionModes.map((mode) => [mode, permissionModeTable[mode].about])),
  keys: narrowColumns(conversationKeys),
  variables: columns(environmentVariables, 24),
  providers: providerColumns(),
};

/** A topic with its tables. */
export function withTables(text: string): string {
  return text.replace(/^\{(\w+)\}\n/gm, (line, name: string) => topicTables[name] ?? line);
}

function providerColumns(): string {
  const rows = [
    ["provider", "key", "address"],
    ...providerNames.map((name) => [name, providerTable[name].keyVariable, providerTable[name].baseUrlVariable]),
  ];
  const widths = [0, 1].map((column) => 2 + Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("")}\n`).join("");
}
