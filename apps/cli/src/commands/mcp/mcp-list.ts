import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { changesFileName, expandEntry, isStdio, lacksLogin, readSecrets, wrappedBridge } from "@ikigai/mcp";
import { sanitiseLine } from "@ikigai/screen";
import { readRegularFile } from "@ikigai/system";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/exit.ts";
import { printOut } from "../../host/stdout.ts";
import { type Command, withRefusals } from "../command.ts";
import { type AddedServer, addedServers, kilobytes, renderLeftOut } from "./added-servers.ts";

const syntax = mcpCommands["mcp list"];

/** Lists the servers that were added. Starts none of them. */
export const mcpList: Command = {
  run(args, { places, env }) {
    const { flags, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    return withRefusals(async () => {
      const rows = addedServers(places).map((server) => rowOf(server, env));
      if (flags.has("json")) printOut(`${JSON.stringify(rows, null, 2)}\n`);
      else if (rows.length === 0) printOut("No MCP servers. To add one: ikigai mcp add NAME -- COMMAND\n");
      else printOut(renderRows(rows));
      return exitCodes.done;
    });
  },
};

interface Row {
  readonly name: string;
  readonly transport: string;
  /** Whether it was added for this directory only. */
  readonly here: boolean;
  readonly tools: number;
  /** The size of the definitions. */
  readonly bytes: number;
  readonly status: string;
  /** The server's tools that cannot be used, with the reason. */
  readonly left_out: Readonly<Record<string, string>>;
}

function rowOf(server: AddedServer, env: NodeJS.ProcessEnv): Row {
  const { name, root, pack, record } = server;
  return {
    name,
    transport: pack === undefined ? "" : isStdio(pack.server.entry) ? "stdio" : pack.server.entry.type,
    here: root.isHere,
    tools: Object.keys(record.tools).length,
    bytes: pack?.tools.bytes ?? 0,
    status: statusOf(server, env),
    left_out: pack?.tools.leftOut ?? {},
  };
}

function statusOf(server: AddedServer, env: NodeJS.ProcessEnv): string {
  const { pack, dataDir, isAsAdded } = server;
  if (pack === undefined || !isAsAdded) return "not as added";
  if (missingBridge(server)) return "needs update";
  const { missing } = expandEntry(pack.server.entry, readSecrets(dataDir), env);
  if (missing.length > 0) return `missing ${missing.join(", ")}`;
  if (!isStdio(pack.server.entry) && lacksLogin(dataDir)) return "needs login";
  return existsSync(join(dataDir, changesFileName)) ? "tools changed" : "ready";
}

function renderRows(rows: readonly Row[]): string {
  const cells = rows.map(({ name, transport, tools, bytes, status, here }) => {
    const count = `${tools} ${tools === 1 ? "tool" : "tools"}`;
    const where = here ? ["for this directory"] : [];
    return [name, transport, count, kilobytes(bytes), status, ...where].map(sanitiseLine);
  });
  const left = rows.map(({ left_out }) => renderLeftOut(Object.entries(left_out)));
  return cells.map((row, index) => `${row.join("  ")}\n${left[index]}`).join("");
}

/**
 * Returns the program that speaks MCP that a server's tools name, if it is missing: that of an ikigai that has been moved, upgraded or
 * removed since the server was added.
 */
function missingBridge({ root, record }: AddedServer): string | undefined {
  const [tool] = Object.values(record.tools);
  if (tool === undefined || record.directory === undefined) return undefined;
  const text = read(join(root.packages, record.directory, tool.path));
  const path = wrappedBridge(text);
  return path === undefined || existsSync(path) ? undefined : path;
}

/** The command that writes a server's tools again. */
function updateOf(name: string): string {
  return `ikigai mcp update ${name} --yes`;
}

/** The servers whose tools name a missing program, one sentence each. @throws Refusal if a record is damaged. */
export function missingBridges(places: Places): string[] {
  return addedServers(places).flatMap((server) => {
    const missing = missingBridge(server);
    if (missing === undefined) return [];
    const { name } = server;
    const what = `The tools of the MCP server ${name} name a program that is missing: ${missing}`;
    const effect = "ikigai uses its own; other programs cannot call them";
    return [sanitiseLine(`${what}. ${effect}. To fix it: ${updateOf(name)}`)];
  });
}

function read(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch {
    return "";
  }
}
