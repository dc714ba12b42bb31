import { type TreeEntry, tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";
import { type Agent, type AgentEvent, type AgentOptions, createAgent } from "../src/index.ts";
import { shellTool } from "./agent-setup.ts";
import { type ModelServer, modelServer, type Reply } from "./model-server.ts";
import { secret } from "./providers.ts";

/** A step in which the model calls the tool. */
export const touches = { calls: [{ name: "touch_it", arguments: "{}" }] };

export interface World {
  readonly agent: Agent;
  readonly project: string;
  readonly home: string;
  readonly server: ModelServer;
}

/** A user with one tool, which creates the file `ran` in the project, and an agent with a model that returns `replies`. */
export async function world(
  replies: readonly Reply[],
  options: AgentOptions | ((server: ModelServer) => AgentOptions) = {},
  files: Record<string, TreeEntry> = {},
): Promise<World> {
  const server = await modelServer(...replies);
  const home = await tempDir({ "tools/touch-it-tool": shellTool("touch_it", "touch ran; echo '{}'"), ...files });
  const project = await tempDir(files);
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: server.url };
  const given = typeof options === "function" ? options(server) : options;
  const agent = await createAgent({ cwd: project, home, env, patience: { firstRetryMs: 5, maxRetries: 1 }, ...given });
  onTestFinished(() => agent.close());
  return { agent, project, home, server };
}

export async function eventsOf(agent: Agent, message = "go"): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(message)) events.push(event);
  return events;
}

export function endOf(events: readonly AgentEvent[]): AgentEvent & { type: "turn_end" } {
  const end = events.at(-1);
  if (end?.type !== "turn_end") throw new Error(`Expected turn_end, got ${end?.type}.`);
  return end;
}
