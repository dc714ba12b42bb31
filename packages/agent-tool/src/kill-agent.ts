import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder } from "@ikigai/system";
import type { SessionAgent } from "./session-agents.ts";

/** How long an agent has to end its own tools, in milliseconds. */
const endingMs = 5_000;
const pollMs = 50;

/** Ends a running agent: it ends its own tools first. Returns whether it has ended. */
export async function killAgent({ pid, lock }: SessionAgent): Promise<boolean> {
  if (pid === undefined) return true;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!sent(pid, signal)) return lockHolder(lock) !== pid;
    for (let waitedMs = 0; waitedMs < endingMs; waitedMs += pollMs) {
      await sleep(pollMs);
      if (lockHolder(lock) !== pid) return true;
    }
  }
  return false;
}

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user.
    return false;
  }
}
