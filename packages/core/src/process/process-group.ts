import { childrenOf, exitingFlag, isDeadState, isLinux, readStat, runningMembers, signalGroup } from "@ikigai/system";

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

/** Linux's PF_KTHREAD. */
const kernelThreadFlag = 0x20_0000;

/**
 * Returns whether a process or one of its children is computing, ready to compute or reading from a disk, as opposed to
 * waiting. Linux only; false elsewhere.
 */
export function isBusy(pid: number): boolean {
  const { state } = readStat(pid) ?? {};
  return state === "R" || state === "D" || childrenOf(pid).some(isBusy);
}

/**
 * Returns whether a process with an empty environment may still get one: in the middle of `execve` it has the new program's
 * memory without an environment. The end of its code (`codeEnd`) is set first afterwards. A process started with an empty
 * environment has one of length 0.
 */
export function mayHaveEnvironment(pid: number): boolean {
  const { state = "Z", flags = 0, codeEnd, environment: [start, end] = [] } = readStat(pid) ?? {};
  const hasMemory = !isDeadState(state) && (flags & (exitingFlag | kernelThreadFlag)) === 0;
  return hasMemory && (codeEnd === "0" || start !== end);
}
