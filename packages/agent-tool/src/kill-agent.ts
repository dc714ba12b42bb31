import type { SessionAgent } from "./session-agents.ts";
import { hasEnded } from "./until-ended.ts";

/** Ends a running agent: it ends its own tools first. Returns whether it has ended. */
export async function killAgent(agent: SessionAgent): Promise<boolean> {
  if (agent.pid === undefined) return true;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    send(agent.pid, signal);
    if (await hasEnded(agent.lock, agent.pid)) return true;
  }
  return false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user.
  }
}
