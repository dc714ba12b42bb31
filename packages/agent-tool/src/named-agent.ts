import { createHash } from "node:crypto";
import { readRegularFile } from "@ikigai/system";
import { splitFrontMatter } from "@ikigai/system/front-matter";
import type { AgentWish } from "./agent-command.ts";
import { AgentFailure } from "./agent-failure.ts";
import type { Grant, NamedAgent } from "./grant.ts";

/** A task with the instructions, the model and the tools of the agent that does it. */
export interface NamedTask extends AgentWish {
  /** The agent's first message. */
  readonly text: string;
}

/**
 * Returns what an agent gets: its own instructions before the task. The call's model counts before the agent's; of the tools it gets
 * those that both name.
 *
 * @throws AgentFailure `NOT_FOUND` for an unknown agent, `AGENT_FAILED` if its file has changed.
 */
export function namedTask(task: string, name: string | undefined, wish: AgentWish, { agents }: Grant): NamedTask {
  if (name === undefined || name === "") return { ...wish, text: task };
  const agent = agents.get(name) ?? unknown(name, [...agents.keys()]);
  const { model = agent.model, tools = agent.tools } = wish;
  return {
    ...wish,
    model,
    tools: tools?.filter((tool) => agent.tools?.includes(tool) ?? true),
    text: `You are the agent ${name}. Your instructions, from ${agent.path}:\n\n${instructionsOf(agent)}\n\nYour task:\n\n${task}`,
  };
}

function unknown(name: string, known: readonly string[]): never {
  const hint =
    known.length === 0 ? "This conversation has no such agents. Leave it out." : `Known: ${known.join(", ")}.`;
  throw new AgentFailure("NOT_FOUND", `There is no agent called ${JSON.stringify(name)}`, { hint });
}

/** The text that the host has read: a project's file counts only as the user has trusted it. */
function instructionsOf({ path, sha256 }: NamedAgent): string {
  const bytes = read(path);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) {
    throw new AgentFailure("AGENT_FAILED", `The file ${path} has changed, so its agent was not started`, {
      hint: "Try again: if it is a file of the project, the user must trust the project again.",
    });
  }
  return splitFrontMatter(bytes.toString("utf8"))?.body.trim() ?? "";
}

function read(path: string): Buffer {
  try {
    return readRegularFile(path);
  } catch {
    return Buffer.alloc(0);
  }
}
