import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isAlive, isLinux, processIds, runningMembers, signalGroup } from "@ikigai/system";

/** How long a process may outlive its leader, in milliseconds: the members of a pipeline end one by one. */
const partingMs = 100;
const pollMs = 10;

/** Whether the group still has running processes shortly after its leader ended. */
export async function isGroupAlive(groupId: number): Promise<boolean> {
  for (let waitedMs = 0; hasMembers(groupId); waitedMs += pollMs) {
    if (waitedMs >= partingMs) return true;
    await sleep(pollMs);
  }
  return false;
}

/** Kills processes that left the group but still have the call's id in their environment. Returns whether there were any. Linux only. */
export function killStrays(leader: number, callId: string): boolean {
  // Its children are younger, so most processes need not be read.
  const younger = processIds().filter((pid) => pid > leader);
  const strays = younger.filter((pid) => environmentOf(pid)?.includes(`IKIGAI_CALL_ID=${callId}\0`));
  for (const pid of strays) kill(pid);
  return strays.length > 0;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** The system still counts zombies; this does not. */
function hasMembers(groupId: number): boolean {
  if (!isLinux) return signalGroup(groupId, 0);
  return isAlive(-groupId) && runningMembers(groupId).length > 0;
}
