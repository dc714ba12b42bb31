import type { McpServer } from "@agentclientprotocol/sdk";
import { sanitiseLine } from "../render/sanitise.ts";

/**
 * The place where the MCP servers of an editor come in. None is started or contacted yet: the user gets a line that says so.
 *
 * @returns what to tell the user.
 */
export function takeMcpServers(servers: readonly McpServer[]): string[] {
  if (servers.length === 0) return [];
  const names = servers.map(({ name }) => sanitiseLine(name).slice(0, 100)).join(", ");
  return [`ikigai does not use the MCP servers of the editor, and has not started them: ${names}.`];
}
