import type { SessionFlags } from "../args/parse-argv.ts";
import { type Agent, type OpenAgentOptions, openAgent } from "./open-agent.ts";
import { findPlaces } from "./places.ts";
import type { NamedServer } from "./servers/named-server.ts";

/**
 * Creates an agent with MCP servers for this conversation only. None is started yet: `loadServers` does that.
 *
 * @throws UsageError like `openAgent`.
 */
export async function openWithServers(
  named: readonly NamedServer[],
  flags: SessionFlags,
  { places = findPlaces(process.env), ...options }: Omit<OpenAgentOptions, "servers">,
): Promise<Agent> {
  if (named.length === 0) return openAgent(flags, process.env, { ...options, places });
  // Loaded only now: most conversations have none.
  const { openServers } = await import("./servers/conversation-servers.ts");
  const servers = openServers(named, places.home);
  try {
    return openAgent(flags, process.env, { ...options, places, servers });
  } catch (error) {
    servers.remove();
    throw error;
  }
}

/** Starts the servers whose tools are not known, in the sandbox if there is one. */
export function loadServers({ servers, places, rules, env, conversation }: Agent): void {
  servers?.load({ places, rules, env, sessionId: conversation.id });
}
