// The MCP servers of one conversation: their tools are made when it begins, and gone when it ends.
import { join } from "node:path";
import type { SandboxSettings, ToolDirectory } from "@ikigai/core";
import { textStart } from "@ikigai/protocol";
import { runStaggered, systemReason, unlessAborted } from "@ikigai/system";
import { nameServers, toolPrefix } from "../definitions/server-names.ts";
import { readServerConfigFile, renderConfigFault } from "../server/read-server-config.ts";
import type { ServerEntry } from "../server/server-entry.ts";
import { hasChanged, packageName } from "../server/server-file.ts";
import {
  type AcceptedServer,
  forgetList,
  type LoadedServer,
  type LoadScene,
  loadServer,
  type ServerFiles,
} from "./load-server.ts";

/** An MCP server that the user's editor or a file of the user names for one conversation. */
export interface NamedServer {
  /** Any text. */
  readonly name: string;
  /** What to start or reach, or what is wrong with it. */
  readonly entry: ServerEntry | { readonly problem: string };
  /** Set if `${VAR}` in the values of the entry is text like any other. */
  readonly isLiteral?: true;
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

/** The MCP servers of one conversation. */
export interface ConversationServers {
  /** Where discovery finds their tools once they are loaded. */
  readonly directories: readonly ToolDirectory[];
  /** Starts to make their tools, once. */
  load(how: LoadOptions): void;
  /** Waits until their tools are made, or the signal aborts. */
  untilLoaded(signal?: AbortSignal): Promise<void>;
  /** The names of those whose tools are not made yet. */
  loading(): readonly string[];
  /** The accepted ones: `starting`, `ready`, or why they are not used. */
  states(): readonly { readonly name: string; readonly state: string }[];
  /** Why servers are not used, a sentence each; complete when all are loaded. */
  readonly problems: readonly string[];
  /** What the user should know by now and was not told, a sentence each. */
  takeNews(): readonly string[];
  /** Stops asking servers what they have. */
  stop(): Promise<void>;
  /** Removes their files, after their processes have ended. */
  remove(): void;
}

interface LoadOptions extends Pick<LoadScene, "places" | "env" | "sessionId" | "bridge"> {
  /** The sandbox in which a tool runs. */
  readonly sandboxFor: (tool: string) => SandboxSettings | undefined;
}

/** A directory that exists as long as the conversation. */
interface ConversationHome {
  /** Without links. */
  readonly path: string;
  remove(): void;
}

/** How long all servers together may take to list their tools, in milliseconds: the first start by npx fetches one. */
const patienceMs = 60_000;

/** A server's own words are in a problem; it is cut here, in characters. */
const maxProblemLength = 500;

/** How many are asked at a time, and when those that say nothing no longer count, in milliseconds. */
const staggering = { atOnce: 4, stallMs: 2_000 };

/**
 * Prepares the servers of a conversation. Starts none.
 *
 * @param named the servers, and why others are not used.
 * @param openHome creates the directory for their files, in the user's directory. Throws the system's error.
 */
export function openServers(named: NamedServers, home: string, openHome: () => ConversationHome): ConversationServers {
  const { servers, problems: refused } = acceptServers(named.servers);
  const problems = [...named.problems, ...refused];
  const own = servers.length === 0 ? undefined : homeFor(home, openHome, problems);
  const news = [...problems];
  const waiting = new Set(own ? servers : []);
  const failed = new Map<AcceptedServer, string>();
  const lists = new Map<string, ServerFiles>();
  const stopping = new AbortController();
  const loadOne = async (server: AcceptedServer, scene: Omit<LoadScene, "files">) => {
    const files = filesOf(server, scene.own);
    const { problem, notices, list } = await loadServer(server, { ...scene, files }).catch((error) =>
      unwritten(server, error),
    );
    const told = problem === undefined ? [] : [textStart(problem, maxProblemLength)];
    problems.push(...told);
    if (problem !== undefined) failed.set(server, textStart(problem, maxProblemLength));
    news.push(...notices, ...told);
    if (list !== undefined) lists.set(list, files);
    waiting.delete(server);
  };
  let loaded: Promise<void> | undefined;
  return {
    directories: own ? servers.map((server) => directoryOf(server, own.path)) : [],
    problems,
    load({ sandboxFor, ...how }) {
      if (!own) return;
      const endMs = performance.now() + patienceMs;
      loaded ??= runStaggered(servers, staggering, (server) => {
        const sandbox = sandboxFor(`${toolPrefix(server.name)}list`);
        const timeoutMs = Math.max(1, endMs - performance.now());
        return loadOne(server, { ...how, own: own.path, sandbox, timeoutMs, signal: stopping.signal });
      });
    },
    untilLoaded: async (signal) => void (await unlessAborted(loaded ?? Promise.resolve(), signal)),
    loading: () => [...waiting].map(({ name }) => name),
    states: () =>
      servers.map((server) => {
        const ended = failed.get(server) ?? (own ? "ready" : "its files cannot be written");
        const state = waiting.has(server) ? "starting" : ended;
        return { name: server.name, state };
      }),
    takeNews: () => news.splice(0),
    async stop() {
      stopping.abort();
      await loaded;
    },
    remove() {
      for (const [list, { data }] of lists) if (hasChanged(data)) forgetList(list);
      own?.remove();
    },
  };
}

function homeFor(home: string, openHome: () => ConversationHome, problems: string[]): ConversationHome | undefined {
  try {
    return openHome();
  } catch (error) {
    const why = systemReason(error as NodeJS.ErrnoException);
    problems.push(`MCP servers cannot be used, because their files cannot be written to ${home}: ${why}.`);
    return undefined;
  }
}

function unwritten({ name }: AcceptedServer, error: NodeJS.ErrnoException): LoadedServer {
  // Everything else is a bug.
  if (error.code === undefined) throw error;
  const problem = `The tools of the MCP server ${name} cannot be written: ${systemReason(error)}.`;
  return { problem, notices: [] };
}

function filesOf({ name }: AcceptedServer, home: string): ServerFiles {
  const owner = packageName(name);
  return { package: join(home, "packages", owner, "tools"), data: join(home, "data", owner) };
}

function directoryOf(server: AcceptedServer, home: string): ToolDirectory {
  const temporary = { home, prefix: toolPrefix(server.name) };
  return { path: filesOf(server, home).package, scope: "user", temporary };
}
