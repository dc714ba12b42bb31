import type { McpServer } from "@agentclientprotocol/sdk";
import { readServerEntry } from "@ikigai/mcp";
import type { JsonObject } from "@ikigai/protocol";
import type { NamedServer } from "../host/servers/named-server.ts";

/** The MCP servers that an editor names for a session. They count as the user's. The editor has filled in their values. */
export function namedServers(servers: readonly McpServer[]): NamedServer[] {
  return servers.map((server) => {
    const entry = readServerEntry(toEntry(server));
    return { name: server.name, entry: "problem" in entry ? { problem: entry.problem } : entry, isLiteral: true };
  });
}

/** The server as `.mcp.json` describes one. */
function toEntry(server: McpServer): JsonObject {
  if (!("type" in server)) return { command: server.command, args: server.args, env: textsOf(server.env) };
  return { type: server.type, url: server.url, headers: textsOf(server.headers) };
}

function textsOf(pairs: readonly { readonly name: string; readonly value: string }[]): JsonObject {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
