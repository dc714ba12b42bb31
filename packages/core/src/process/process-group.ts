import { isLinux, runningMembers, signalGroup } from "@ikigai/system";

/** Asks a group to end. Adds SIGCONT, since a stopped process does not handle SIGTERM. */
export function askGroupToEnd(groupId: number): void {
  signalGroup(groupId, "SIGTERM");
  signalGroup(groupId, "SIGCONT");
}

/**
 * Asks the members of a group to end, except its leader, which waits for them and passes on their exit code. Asks the leader if
 * it is alone.
 */
export function askMembersToEnd(groupId: number): void {
  const members = runningMembers(groupId).filter((pid) => pid !== groupId);
  if (members.length === 0) askGroupToEnd(groupId);
  for (const pid of members) {
    try {
      process.kill(pid, "SIGTERM");
      process.kill(pid, "SIGCONT");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Kills the remaining members of a group whose leader has ended. Returns whether any was still running. */
export function killGroup(groupId: number): boolean {
  // The common case: nothing is left, and this is all it costs.
  if (!signalGroup(groupId, 0)) return false;
  const wasRunning = hasRunningMember(groupId);
  signalGroup(groupId, "SIGKILL");
  return wasRunning;
}

/** Zombies are still members of their group; they do not count. */
function hasRunningMember(groupId: number): boolean {
  return !isLinux || runningMembers(groupId).length > 0;
}
