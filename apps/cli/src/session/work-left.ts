import { backgroundJobs, hasAgents } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";

/** What runs when a conversation ends, and whether it goes on: background commands and agents, one line each. */
export async function workLeft(agent: Agent): Promise<string[]> {
  // Loaded only by a conversation with agents.
  const agents = hasAgents(agent.conversation) ? (await import("./agents-left.ts")).agentsLeft(agent) : [];
  return [...agents, ...jobsLeft(agent)];
}

function jobsLeft({ conversation }: Pick<Agent, "conversation">): string[] {
  try {
    return backgroundJobs(conversation)
      .filter(({ isRunning }) => isRunning)
      .map(({ pid, command, log, isInSandbox }) => {
        if (isInSandbox) return endsWithIkigai({ command, pid });
        const [line = ""] = command.split("\n");
        return `Still running in the background: ${line} (process ${pid}, output in ${log}). To end it: kill -- -${pid}`;
      });
  } catch {
    // An unreadable session was already reported.
    return [];
  }
}

/** In the sandbox, nothing goes on without ikigai. */
export function endsWithIkigai({ command, pid }: { readonly command: string; readonly pid: number }): string {
  return `Ends with ikigai: ${command.split("\n", 1)[0] ?? ""} (process ${pid})`;
}
