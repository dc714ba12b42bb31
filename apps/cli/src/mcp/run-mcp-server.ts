import { loadConfig, type Places, removeOverflow, toolRules } from "@ikigai/agent/internal";
import { beforeExit } from "@ikigai/system";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SessionFlags } from "../args/parse-argv.ts";
import { exitCodes } from "../host/exit-codes.ts";
import { allowRules, openAgent } from "../host/open-agent.ts";
import { openToolbox, requireSandbox } from "../host/open-toolbox.ts";
import { flushed } from "../host/peer.ts";
import { findPlaces } from "../host/places.ts";
import { printError } from "../host/stdout.ts";
import { reportTools, requireRules } from "../render/report-tools.ts";
import { sanitise } from "../render/sanitise.ts";
import { createServer } from "./create-server.ts";
import { readToolNames, requireTools } from "./offered-tools.ts";
import { serveProject } from "./serve-project.ts";
import { type ServedAgent, serveAgent } from "./served-calls.ts";
import { clientTransport } from "./stdio-transport.ts";
import { watchTools } from "./watch-tools.ts";

/** How to serve. */
export interface ServeOptions {
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
  const agent = openAgent(flags, process.env, { places, ...(dir === undefined && { startedIn: cwd }) });
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
  removeOverflow(agent);
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
  const rules = toolRules(loadConfig(places.home).config, places, flags);
  await requireSandbox(rules, places, env);
  if (wanted) requireTools(await openToolbox(places, env, rules).last(), wanted);
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
