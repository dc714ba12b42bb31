import { heldGrant } from "@ikigai/agent/internal";
import type { SessionFlags } from "../args/parse-argv.ts";
import { type Agent, type OpenAgentOptions, openAgent } from "./open-agent.ts";
import { binPath } from "./own-paths.ts";
import { findPlaces } from "./places.ts";
import type { NamedServers } from "./servers/named-server.ts";

/** Reads the files of `--mcp`. */
export async function serversOf({ serverFiles = [] }: SessionFlags): Promise<NamedServers> {
  if (serverFiles.length === 0) return { servers: [], problems: [] };
  const { readServerFiles } = await import("./servers/named-server.ts");
  return readServerFiles(serverFiles, findPlaces(process.env).projectDir);
}

/**
 * Creates an agent with MCP servers for this conversation only. None is started yet: `loadServers` does that.
 *
 * @throws UsageError like `openAgent`.
 */
export async function openWithServers(
  { servers: named, problems }: NamedServers,
  flags: SessionFlags,
  { places = findPlaces(process.env), ...given }: Omit<OpenAgentOptions, "servers"> = {},
): Promise<Agent> {
  const options = { bin: binPath, held: await heldGrant(process.env), ...given };
  if (named.length + problems.length === 0) return openAgent(flags, process.env, { ...options, places });
  // Loaded only now: most conversations have none.
  const { openServers } = await import("./servers/conversation-servers.ts");
  const servers = openServers(named, places.home, problems);
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
