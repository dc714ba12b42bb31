import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isAlive, isLinux, processIds, runningMembers, signalGroup } from "@ikigai/system";

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

/** Kills what has left a group and still says to which call it belongs; tells whether there was any. Only Linux shows it. */
export function killStrays(leader: number, callId: string): boolean {
  // What it started is younger than it is: most of the machine need not be looked at.
  const younger = processIds().filter((pid) => pid > leader);
  const strays = younger.filter((pid) => environmentOf(pid)?.includes(`IKIGAI_CALL_ID=${callId}\0`));
  for (const pid of strays) kill(pid);
  return strays.length > 0;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went by itself.
  }
}

/** The dead that nobody has waited for still count for the system, though not for us. */
function hasMembers(groupId: number): boolean {
  if (!isLinux) return signalGroup(groupId, 0);
  return isAlive(-groupId) && runningMembers(groupId).length > 0;
}
