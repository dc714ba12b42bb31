import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { wrappedBridge } from "@ikigai/mcp";
import { readRegularFile } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type AddedServer, addedServers } from "./added-servers.ts";

/**
 * Returns the program that speaks MCP that a server's tools name, if it is missing: that of an ikigai that has been moved, upgraded or
 * removed since the server was added.
 */
export function missingBridge({ root, record }: AddedServer): string | undefined {
  const [tool] = Object.values(record.tools);
  if (tool === undefined || record.directory === undefined) return undefined;
  const text = read(join(root.packages, record.directory, tool.path));
  const path = wrappedBridge(text);
  return path === undefined || existsSync(path) ? undefined : path;
}

/** The command that writes a server's tools again. */
export function updateOf(name: string): string {
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
