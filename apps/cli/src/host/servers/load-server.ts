import type { ServerEntry } from "@ikigai/mcp";
import {
  type Definitions,
  defineTools,
  hideSecrets,
  isStdio,
  maxTools,
  variablesOf,
  withOwnHost,
  writeSecrets,
} from "@ikigai/mcp";
import { listPath, readList, type ServerList, writeList } from "./known-lists.ts";
import { type ListRequest, listServer } from "./list-server.ts";
import type { AcceptedServer } from "./named-server.ts";
import { writeTools } from "./write-tools.ts";

/** Where the files of a server are. */
export interface ServerFiles {
  /** The package, which discovery finds once it is written. */
  readonly package: string;
  readonly data: string;
}

export interface LoadScene
  extends Pick<ListRequest, "own" | "places" | "env" | "sandbox" | "sessionId" | "timeoutMs" | "signal"> {
  readonly files: ServerFiles;
}

/** What became of a server. */
export interface LoadedServer {
  /** Why it cannot be used, a sentence. */
  readonly problem?: string;
  /** What the user should know about its tools, a sentence each. */
  readonly notices: readonly string[];
  /** Where its list is kept. */
  readonly list?: string;
}

/**
 * Makes the tools of a server for one conversation. Starts it only if its list is not known.
 *
 * @throws the system's error if its files cannot be written.
 */
export async function loadServer(server: AcceptedServer, scene: LoadScene): Promise<LoadedServer> {
  const { name, isLiteral = false } = server;
  const { files, places, env, sandbox } = scene;
  const { entry, secrets } = hideSecrets(server.entry);
  writeSecrets(files.data, secrets);
  const variables = isLiteral ? [] : variablesOf(entry, secrets);
  const needs = withOwnHost(undefined, server.entry);
  const list = listPath(places.home, server, {
    env,
    projectDir: places.projectDir,
    isSandboxed: sandbox !== undefined,
  });
  const known =
    readList(list) ?? (await listed({ ...scene, name, entry, isLiteral, variables, needs, dataDir: files.data }));
  if ("problem" in known) return { list, notices: [], problem: known.problem };
  writeList(list, known);
  const { facts, tools, transport, listedAt } = known;
  const filter = { include: [], exclude: [] };
  const definitions = defineTools(tools, {
    ...{ server: name, variables, needs, filter, hasResources: facts.hasResources },
    hasHeaders: transport === "http" && facts.era === "modern",
  });
  const problem = tooMany(name, definitions);
  if (problem !== undefined) return { list, notices: [], problem };
  const file = { name, entry: withTransport(entry, transport), ...facts, filter, listedAt, isTemporary: true } as const;
  writeTools(files.package, { ...file, ...(isLiteral && { isLiteral }) }, definitions);
  return { list, notices: noticesOf(name, definitions) };
}

async function listed(request: ListRequest): Promise<ServerList | { readonly problem: string }> {
  const answer = await listServer(request);
  if ("problem" in answer) return answer;
  const { facts, tools, transport } = answer;
  return { facts, tools, transport, listedAt: new Date().toISOString() };
}

function withTransport(entry: ServerEntry, transport: ServerList["transport"]): ServerEntry {
  return isStdio(entry) || transport === "stdio" ? entry : { ...entry, type: transport };
}

function tooMany(name: string, { tools }: Definitions): string | undefined {
  if (tools.length <= maxTools) return undefined;
  return `The MCP server ${name} has ${tools.length} tools, at most ${maxTools} can be used.`;
}

/** How many tools that cannot be used are named. */
const maxNamed = 3;

function noticesOf(name: string, { tools, leftOut }: Definitions): string[] {
  if (leftOut.length === 0) return tools.length === 0 ? [`The MCP server ${name} has no tools.`] : [];
  const named = leftOut.slice(0, maxNamed).map((tool) => `${tool.name} (${tool.reason})`);
  const more = leftOut.length > maxNamed ? ` and ${leftOut.length - maxNamed} more` : "";
  return [`Tools of the MCP server ${name} that cannot be used: ${named.join(", ")}${more}.`];
}
