import { backgroundJobs, hasAgents } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";

/** What a conversation leaves running when it ends, one line each: background commands and agents. */
export async function workLeft(agent: Agent): Promise<string[]> {
  // Loaded only by a conversation with agents.
  const agents = hasAgents(agent.conversation) ? (await import("./agents-left.ts")).agentsLeft(agent) : [];
  return [...agents, ...jobsLeft(agent)];
}

function jobsLeft({ conversation }: Pick<Agent, "conversation">): string[] {
  try {
    return backgroundJobs(conversation)
      .filter(({ isRunning, isInSandbox }) => isRunning && !isInSandbox)
      .map(({ pid, command, log }) => {
        const [line = ""] = command.split("\n");
        return `Still running in the background: ${line} (process ${pid}, output in ${log}). To end it: kill -- -${pid}`;
      });
  } catch {
    // An unreadable session was already reported.
    return [];
  }
}
