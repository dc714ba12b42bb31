import { readdirSync, readFileSync } from "node:fs";
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

/** Kills what has left a group and still says to which call it belongs; tells whether there was any. Only Linux shows it. */
export function killStrays(leader: number, callId: string): boolean {
  if (process.platform !== "linux") return false;
  // What it started is younger than it is: most of the machine need not be looked at.
  const younger = processIds().filter((pid) => pid > leader);
  const strays = younger.filter((pid) => environmentOf(pid).includes(`IKIGAI_CALL_ID=${callId}\0`));
  for (const pid of strays) kill(pid);
  return strays.length > 0;
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Gone, or another user's.
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went by itself.
  }
}

function processIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function hasMembers(groupId: number): boolean {
  if (!exists(-groupId)) return false;
  // The dead that nobody has waited for still count for the system, though not for us.
  return (
    process.platform !== "linux" ||
    processIds().some((pid) => {
      const found = readState(pid);
      return found?.groupId === groupId && found.state !== "Z";
    })
  );
}
