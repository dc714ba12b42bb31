import { readServerConfigFile, renderConfigFault } from "@ikigai/mcp";
import type { NamedServer } from "./named-server.ts";

/** MCP servers for one conversation, and why others are not among them, a sentence each. */
export interface NamedServers {
  readonly servers: readonly NamedServer[];
  readonly problems: readonly string[];
}

/** Reads the files of `--mcp`. The user has named them, so their servers count as the user's. */
export function readServerFiles(paths: readonly string[], projectDir: string): NamedServers {
  const read = paths.map((path) => ({ path, file: readServerConfigFile(path, projectDir) }));
  const servers: NamedServer[] = [];
  const problems: string[] = [];
  for (const { path, file } of read) {
    if ("problem" in file) problems.push(renderConfigFault(path, file));
    else if (file.servers.length === 0) problems.push(`${path}: It has no MCP servers.`);
    else
      for (const server of file.servers) {
        if (server.isDisabled) continue;
        if ("problem" in server) problems.push(`${path}: ${JSON.stringify(server.given)}: ${server.problem}`);
        else servers.push({ name: server.name, entry: server.entry });
      }
  }
  return { servers, problems };
}
