import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { exists, readState } from "./is-running.ts";

/** How long a process may take to go after its leader, in milliseconds: the members of a pipeline end one by one. */
const partingMs = 100;
const pollMs = 10;

/** Whether the group still has processes that run, a moment after its leader ended. */
export async function isGroupAlive(groupId: number): Promise<boolean> {
  for (let waitedMs = 0; hasMembers(groupId); waitedMs += pollMs) {
    if (waitedMs >= partingMs) return true;
    await sleep(pollMs);
  }
  return false;
}

/** Sends a signal to every process of a group; none being left is fine. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch {
    // ESRCH: the group is gone. EPERM: macOS says so of a group of zombies.
  }
}

function hasMembers(groupId: number): boolean {
  if (!exists(-groupId)) return false;
  // The dead that nobody has waited for still count for the system, though not for us.
  return (
    process.platform !== "linux" ||
    readdirSync("/proc").some((name) => {
      const found = /^\d+$/.test(name) ? readState(name) : undefined;
      return found?.groupId === groupId && found.state !== "Z";
    })
  );
}
