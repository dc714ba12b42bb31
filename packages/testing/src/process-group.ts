import { setTimeout as sleep } from "node:timers/promises";
import {
  commandLineOf,
  environmentOf,
  isAlive,
  isDeadState,
  isDying,
  isLinux,
  processIds,
  readStat,
  runningMembers,
  signalGroup,
} from "@ikigai/system";

/** How long a process may outlive its leader, in milliseconds: the members of a pipeline end one by one. */
const partingMs = 100;
const pollMs = 10;

/** A process that was still running after the tool exited. */
export interface LeftProcess {
  readonly pid: number;
  /** Its command line; empty if it cannot be read, and `pid` is then its group. */
  readonly command: string;
}

/** Returns the running processes of the group shortly after its leader ended. */
export async function leftInGroup(groupId: number): Promise<readonly LeftProcess[]> {
  for (let waitedMs = 0; hasMembers(groupId); waitedMs += pollMs) {
    if (waitedMs >= partingMs) return isLinux ? livingMembers(groupId).map(described) : [described(groupId)];
    await sleep(pollMs);
  }
  return [];
}

function described(pid: number): LeftProcess {
  return { pid, command: commandLineOf(pid) ?? "" };
}

/** Kills processes that left the group but still have the call's id in their environment. Returns these processes. Linux only. */
export function killStrays(leader: number, callId: string): readonly LeftProcess[] {
  // Its children are younger, so most processes need not be read.
  const younger = processIds().filter((pid) => pid > leader);
  const strays = younger.filter((pid) => environmentOf(pid)?.includes(`IKIGAI_CALL_ID=${callId}\0`));
  const left = strays.map(described);
  for (const pid of strays) kill(pid);
  return left;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** The system still counts zombies, and processes that have been killed and not run since; this does not. */
function hasMembers(groupId: number): boolean {
  if (!isLinux) return signalGroup(groupId, 0);
  return isAlive(-groupId) && livingMembers(groupId).length > 0;
}

function livingMembers(groupId: number): readonly number[] {
  return runningMembers(groupId).filter((pid) => !isDying(pid));
}

/** The running groups: a process in its own group does not end with its parent. */
const running = new Set<number>();

/** Kills the group if this process ends before `unwatchGroup`. */
export function watchGroup(pid: number): void {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(pid);
}

/** The group has ended. */
export function unwatchGroup(pid: number): void {
  running.delete(pid);
  if (running.size === 0) process.off("exit", killRunning);
}

function killRunning(): void {
  for (const pid of running) signalGroup(pid, "SIGKILL");
}

/** Whether a process is still running. A zombie is not. Never throws. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && (!isLinux || !isDeadState(readStat(pid)?.state ?? "Z"));
}
