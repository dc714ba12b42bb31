import { join } from "node:path";
import type { Places, ToolRules } from "@ikigai/agent/internal";
import type { ToolDirectory } from "@ikigai/core";
import { hasChanged, packageName, toolPrefix } from "@ikigai/mcp";
import { textStart } from "@ikigai/protocol";
import { runStaggered, systemReason, unlessAborted } from "@ikigai/system";
import { conversationsDir } from "../places.ts";
import { type ConversationHome, openConversationHome } from "./conversation-home.ts";
import { forgetList, type LoadedServer, type LoadScene, loadServer, type ServerFiles } from "./load-server.ts";
import { type AcceptedServer, acceptServers, type NamedServer } from "./named-server.ts";

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
  /** Why servers are not used, a sentence each; complete when all are loaded. */
  readonly problems: readonly string[];
  /** What the user should know by now and was not told, a sentence each. */
  takeNews(): readonly string[];
  /** Stops asking servers what they have. */
  stop(): Promise<void>;
  /** Removes their files, after their processes have ended. */
  remove(): void;
}

interface LoadOptions {
  readonly places: Places;
  readonly rules: ToolRules;
  readonly env: NodeJS.ProcessEnv;
  readonly sessionId: string;
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
 * @param home the user's directory, `~/.ikigai`.
 * @param known why other servers are not used.
 */
export function openServers(
  named: readonly NamedServer[],
  home: string,
  known: readonly string[] = [],
): ConversationServers {
  const { servers, problems: refused } = acceptServers(named);
  const problems = [...known, ...refused];
  const own = servers.length === 0 ? undefined : openHome(home, problems);
  const news = [...problems];
  const waiting = new Set(own ? servers : []);
  const lists = new Map<string, ServerFiles>();
  const stopping = new AbortController();
  const loadOne = async (server: AcceptedServer, scene: Omit<LoadScene, "files">) => {
    const files = filesOf(server, scene.own);
    const { problem, notices, list } = await loadServer(server, { ...scene, files }).catch((error) =>
      unwritten(server, error),
    );
    const told = problem === undefined ? [] : [textStart(problem, maxProblemLength)];
    problems.push(...told);
    news.push(...notices, ...told);
    if (list !== undefined) lists.set(list, files);
    waiting.delete(server);
  };
  let loaded: Promise<void> | undefined;
  return {
    directories: own ? servers.map((server) => directoryOf(server, own.path)) : [],
    problems,
    load({ rules, ...how }) {
      if (!own) return;
      const endMs = performance.now() + patienceMs;
      loaded ??= runStaggered(servers, staggering, (server) => {
        const { sandbox } = rules.settingsFor(`${toolPrefix(server.name)}list`);
        const timeoutMs = Math.max(1, endMs - performance.now());
        return loadOne(server, { ...how, own: own.path, sandbox, timeoutMs, signal: stopping.signal });
      });
    },
    untilLoaded: async (signal) => void (await unlessAborted(loaded ?? Promise.resolve(), signal)),
    loading: () => [...waiting].map(({ name }) => name),
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

function openHome(home: string, problems: string[]): ConversationHome | undefined {
  try {
    return openConversationHome(conversationsDir(home));
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
