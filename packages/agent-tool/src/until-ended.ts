import { setTimeout as sleep } from "node:timers/promises";
import { lockHolder } from "@ikigai/system";

/** How long an agent has to end its own tools, in milliseconds. */
const endingMs = 5_000;
const pollMs = 50;

/**
 * Waits until an agent has ended, for at most five seconds. Returns whether it has.
 *
 * @param lock of its session.
 * @param pid its process, if it is running.
 */
export async function hasEnded(lock: string, pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return true;
  for (let waitedMs = 0; lockHolder(lock) === pid; waitedMs += pollMs) {
    if (waitedMs >= endingMs) return false;
    await sleep(pollMs);
  }
  return true;
}
