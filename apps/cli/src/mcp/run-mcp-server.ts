// Serves an MCP client over stdin and stdout. In reading order: from start to end, the project that is served, the agent behind it, and the
// watch on its tools. The folder: run-mcp-server ← create-server (requests) and stdio-transport (the connection). exported-tool.ts is a program
// of its own.

import { accessSync, constants, mkdtempSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { type Places, serveCalls, toolSetup } from "@ikigai/agent/internal";
import type { RegisteredTool } from "@ikigai/core";
import { sanitise } from "@ikigai/screen";
import { beforeExit, temporaryPath } from "@ikigai/system";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";
import { type Agent, agentFromFlags, allowRules } from "../host/conversation/agent-from-flags.ts";
import { openCommandTools, requireSandbox } from "../host/conversation/command-tools.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { flushed } from "../host/terminal/peer.ts";
import { printError } from "../host/terminal/stdout.ts";
import { reportTools, requireRules } from "../render/tool/report-tools.ts";
import {
  createServer,
  offeredTools,
  readToolNames,
  requireTools,
  type Served,
  toMcpTool,
  type WantedTools,
} from "./create-server.ts";
import { clientTransport } from "./stdio-transport.ts";

/** How to serve. */
interface ServeOptions {
  readonly flags: SessionFlags;
  /** The value of `--tools`. */
  readonly tools: string | undefined;
  /** The project's directory, if named. */
  readonly dir: string | undefined;
}

/**
 * Serves an MCP client over stdin and stdout until it disconnects; returns the exit code. Everything else goes to stderr.
 *
 * @throws UsageError for an unknown tool, an invalid rule or directory; IkigaiError if the sandbox does not work.
 */
export async function runMcpServer({ flags, tools, dir }: ServeOptions): Promise<number> {
  const wanted = readToolNames(tools);
  const { cwd, places } = servedPlaces(dir);
  const agent = await agentFromFlags(flags, process.env, { places, ...(dir === undefined && { startedIn: cwd }) });
  await requireSandbox(agent.rules, agent.places, agent.env);
  await requireRules(agent);
  if (wanted) requireTools(await agent.toolbox.last(), wanted);
  for (const notice of agent.notices) tell(notice);
  void reportTools(agent);
  const served = serveAgent(agent, wanted, tell);
  const leave = beforeExit(() => served.stop());
  const problem = await serveClient(served);
  leave();
  await served.stop();
  await flushed();
  if (problem === undefined) return exitCodes.done;
  printError(`ikigai: ${problem}\n`);
  return exitCodes.failed;
}

/**
 * Checks options with which a client is to start `mcp serve`.
 *
 * @throws what `runMcpServer` throws for them.
 */
export async function checkServeOptions({ flags, tools, dir }: ServeOptions): Promise<void> {
  const { env } = process;
  const wanted = readToolNames(tools);
  const { places } = servedPlaces(dir);
  allowRules(flags);
  const { rules } = toolSetup({ places, env, flags });
  await requireSandbox(rules, places, env);
  if (wanted) requireTools(await openCommandTools(places, env, rules).last(), wanted);
}

/** Where it was started, and the places of the project that it serves. @throws UsageError for an invalid directory. */
function servedPlaces(dir: string | undefined): { readonly cwd: string; readonly places: Places } {
  const { projectDir: cwd, userHome } = findPlaces(process.env);
  return { cwd, places: findPlaces(process.env, serveProject(dir, { cwd, userHome })) };
}

/** Serves until the client is gone. Returns why, if it sent something that cannot be read. */
async function serveClient(served: ServedAgent): Promise<string | undefined> {
  let server: Server | undefined;
  const watch = watchTools(served.tools, () => void server?.sendToolListChanged().catch(() => {}));
  const transport = clientTransport(async () => {
    await served.stop();
    // The results are on their way.
    await new Promise(setImmediate);
  });
  serveStdio(
    () => {
      server = createServer({ ...served, listed: watch.listed });
      return server;
    },
    { transport },
  );
  const problem = await transport.ended;
  watch.end();
  return problem;
}

function tell(text: string): void {
  printError(`${sanitise(text)}\n`);
}

/**
 * The project of a server: `given`, else the working directory.
 *
 * Desktop programs start servers in `/` or in the home directory, where the user has no project: then it is a new empty
 * directory, so that nothing can be read without a rule, and the sandbox does not open the whole home.
 *
 * @throws UsageError if `given` is not a directory that can be read.
 */
function serveProject(given: string | undefined, { cwd, userHome }: { cwd: string; userHome: string }): string {
  if (given !== undefined) return readableDirectory(given);
  return ["/", realOf(userHome)].includes(realOf(cwd)) ? emptyDirectory() : cwd;
}

function readableDirectory(path: string): string {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    // Reported below.
  }
  throw new UsageError(`Expected --dir to be a directory that can be read, got ${JSON.stringify(path)}.`);
}

function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(temporaryPath("mcp-")));
  const remove = () => {
    try {
      rmdirSync(path);
    } catch {
      // What calls wrote there stays.
    }
  };
  beforeExit(remove, { isLast: true });
  return path;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Calls that may wait for others: more are a mistake, and each keeps its arguments in memory. */
const maxOpenCalls = 1_000;

/** What an agent serves, and how to end it. */
interface ServedAgent extends Pick<Served, "tools" | "call"> {
  /** Stops all calls; resolves when they are answered. No other starts afterwards. */
  stop(): Promise<void>;
}

/**
 * @param wanted the tools that clients get.
 * @param notice tells the user something, one sentence.
 */
export function serveAgent(agent: Agent, wanted: WantedTools, notice: (text: string) => void): ServedAgent {
  const serve = serveCalls(agent, notice);
  const open = new Map<Promise<unknown>, AbortController>();
  let isEnding = false;
  return {
    tools: async () => offeredTools(await agent.toolbox.current(), wanted),
    async call({ signal, onProgress, ...call }) {
      if (isEnding) return { problem: "ikigai is ending." };
      if (open.size >= maxOpenCalls)
        return { problem: `${maxOpenCalls} calls are running or waiting. Wait until some have ended.` };
      const controller = new AbortController();
      const stop = () => controller.abort();
      signal.addEventListener("abort", stop);
      const end = agent.toolbox
        .last()
        .then((registry) => serve({ ...call, signal: controller.signal, ...(onProgress && { onProgress }) }, registry));
      open.set(end, controller);
      return end.finally(() => {
        open.delete(end);
        signal.removeEventListener("abort", stop);
      });
    },
    async stop() {
      isEnding = true;
      for (const controller of open.values()) controller.abort();
      await Promise.allSettled(open.keys());
    },
  };
}

/** How often the files of the tools are looked at, in milliseconds. A look costs one `stat` for each. */
const intervalMs = 2_000;

/** Follows what clients know about the tools. */
interface ToolWatch {
  /** A client got this list. */
  listed(tools: readonly RegisteredTool[]): void;
  end(): void;
}

/** Calls `changed` after a change of what was listed, once for each change; never before a client asked for the list. */
function watchTools(current: () => Promise<readonly RegisteredTool[]>, changed: () => void): ToolWatch {
  let known: string | undefined;
  let isLooking = false;
  const look = async () => {
    if (known === undefined || isLooking) return;
    isLooking = true;
    try {
      const now = describe(await current());
      if (now !== known) changed();
      known = now;
    } finally {
      isLooking = false;
    }
  };
  // What fails here fails in the client's next request too, which reports it.
  const timer = setInterval(() => void look().catch(() => {}), intervalMs);
  return {
    listed(tools) {
      known = describe(tools);
    },
    end: () => clearInterval(timer),
  };
}

function describe(tools: readonly RegisteredTool[]): string {
  return JSON.stringify(tools.map(toMcpTool));
}
