import { runningMembers, signalGroup } from "@ikigai/system";

/** Asks a group to end. SIGCONT goes along, as a stopped process never gets to see SIGTERM. */
export function askGroupToEnd(groupId: number): void {
  signalGroup(groupId, "SIGTERM");
  signalGroup(groupId, "SIGCONT");
}

/**
 * Asks everybody in a group to end but its leader, which waits for the others and passes on how they ended; the leader too
 * when it is alone.
 */
export function askMembersToEnd(groupId: number): void {
  const members = runningMembers(groupId).filter((pid) => pid !== groupId);
  if (members.length === 0) askGroupToEnd(groupId);
  for (const pid of members) {
    try {
      process.kill(pid, "SIGTERM");
      process.kill(pid, "SIGCONT");
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

/** Kills what is left of a group after its leader has ended; says whether anything was still running. */
export function killGroup(groupId: number): boolean {
  // Most tools leave nothing behind, and then this is all it costs.
  if (!signalGroup(groupId, 0)) return false;
  const wasRunning = hasRunningMember(groupId);
  signalGroup(groupId, "SIGKILL");
  return wasRunning;
}

/** The dead that nobody has waited for (zombies) are still members of their group. */
function hasRunningMember(groupId: number): boolean {
  return process.platform !== "linux" || runningMembers(groupId).length > 0;
}
