// What still runs when a conversation ends.

import type { BackgroundJob } from "@ikigai/agent/internal";
import { hasAgents } from "@ikigai/session";
import type { Agent } from "../host/conversation/agent-from-flags.ts";

/** What runs when a conversation ends, and whether it continues: background commands and agents, one line each. */
export async function workLeft(agent: Agent): Promise<string[]> {
  // Loaded only by a conversation with agents.
  const agents = hasAgents(agent.conversation) ? (await import("./agents-left.ts")).agentsLeft(agent) : [];
  return [...agents, ...jobsLeft(agent)];
}

/** All jobs end with ikigai that the user does not let go on. */
function jobsLeft({ conversation, jobs }: Pick<Agent, "conversation" | "jobs">): string[] {
  try {
    return jobs
      .of(conversation)
      .filter(({ isRunning }) => isRunning)
      .map((job) => {
        if (jobs.jobs.running().some(({ pid, isLetGo }) => pid === job.pid && !isLetGo)) return endsWithIkigai(job);
        const [line = ""] = job.command.split("\n");
        return `Still running in the background: ${line} (process ${job.pid}, output in ${job.log}). To end it: kill ${job.pid}`;
      });
  } catch {
    // An unreadable session was already reported.
    return [];
  }
}

/** Says that a job ends with ikigai. */
export function endsWithIkigai({ command, pid, number }: Pick<BackgroundJob, "command" | "pid" | "number">): string {
  const name = number === undefined ? `process ${pid}` : `job ${number}`;
  return `Ends with ikigai: ${command.split("\n", 1)[0] ?? ""} (${name})`;
}
