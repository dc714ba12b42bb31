import { nameServers, readServerConfigFile, renderConfigFault, type ServerEntry } from "@ikigai/mcp";

/** An MCP server that the user's editor or a file of the user names for one conversation. */
export interface NamedServer {
  /** Any text. */
  readonly name: string;
  /** What to start or reach, or what is wrong with it. */
  readonly entry: ServerEntry | { readonly problem: string };
  /** Set if `${VAR}` in the values of the entry is text like any other. */
  readonly isLiteral?: true;
}

/** A server with a valid name, which no other server of the conversation has. */
export interface AcceptedServer extends Omit<NamedServer, "entry"> {
  readonly entry: ServerEntry;
}

/** The most servers of a conversation: each is a process. */
export const maxServers = 32;

/** How many servers a message names, and the longest name in it, in characters. */
const maxShown = 5;
const maxNameLength = 60;

/** Chooses the servers to use; says why the others are not used, a sentence each. */
export function acceptServers(named: readonly NamedServer[]): {
  readonly servers: readonly AcceptedServer[];
  readonly problems: string[];
} {
  const first = named.slice(0, maxServers);
  const names = nameServers(first.map(({ name }) => name));
  const servers: AcceptedServer[] = [];
  const problems = tooMany(named);
  for (const [index, { name: given, entry, ...facts }] of first.entries()) {
    const name = names[index];
    if (name === undefined) problems.push(`Several MCP servers are named ${shown(given)}; only the first one counts.`);
    else if ("problem" in entry) problems.push(`The MCP server ${shown(given)} cannot be used. ${entry.problem}`);
    else servers.push({ ...facts, name, entry });
  }
  return { servers, problems };
}

function tooMany(named: readonly NamedServer[]): string[] {
  const others = named.slice(maxServers);
  if (others.length === 0) return [];
  const names = others.slice(0, maxShown).map(({ name }) => shown(name));
  const more = others.length > maxShown ? ` and ${others.length - maxShown} more` : "";
  return [
    `A conversation can use ${maxServers} MCP servers, got ${named.length}. Not used: ${names.join(", ")}${more}.`,
  ];
}

function shown(name: string): string {
  return JSON.stringify(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name);
}

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
