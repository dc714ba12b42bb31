import { backgroundJobs } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";

/** What the task leaves running, a line each: it was started in the background on request, and nobody sees it any more. */
export function jobsLeft({ conversation }: Pick<Agent, "conversation">): string[] {
  try {
    return backgroundJobs(conversation)
      .filter(({ isRunning }) => isRunning)
      .map(({ pid, command, log }) => {
        const [line = ""] = command.split("\n");
        return `Still running in the background: ${line} (process ${pid}, output in ${log}). To end it: kill -- -${pid}`;
      });
  } catch {
    // A session that cannot be read has been told of.
    return [];
  }
}
