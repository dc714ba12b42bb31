import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isLinux } from "./platform.ts";
import { isDeadState, readStat } from "./process-stat.ts";
import { readOften } from "./read-often.ts";

/** Up to this many process ids are tried one by one; beyond that, listing /proc is faster. */
const maxTried = 64;

/** Returns the ids of all visible processes; empty without `/proc`. */
export function processIds(): number[] {
  if (!isLinux) return [];
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    // Not mounted.
    return [];
  }
}

/** The most recent id that Linux has given to a process or thread: ids count up, then wrap around. 0 if it cannot be read. */
export function newestId(): number {
  return Number(readOften("/proc/loadavg")?.split(" ").at(-1) ?? 0);
}

/** Returns the processes that may have started after `fromPid` and up to `lastId`, a value of `newestId()`: usually few. */
export function processIdsBetween(fromPid: number, lastId: number): number[] {
  const span = lastId - fromPid;
  if (span >= 0 && span <= maxTried) {
    const numbers = Array.from({ length: span }, (_, index) => fromPid + 1 + index);
    return numbers.filter((id) => existsSync(`/proc/${id}`) && !isThread(id, fromPid));
  }
  // After the ids have wrapped around, any other process may be a new one.
  return processIds().filter((pid) => (span >= 0 ? pid > fromPid : pid !== fromPid));
}

/** Threads use ids, too, and those of a process being killed exist for a moment. */
function isThread(id: number, pid: number): boolean {
  return existsSync(`/proc/${id}/task/${pid}`);
}

/** Returns the members of a process group that are running, not zombies. Linux only. */
export function runningMembers(groupId: number): number[] {
  return processIds().filter((pid) => {
    const stat = readStat(pid);
    return stat?.group === groupId && !isDeadState(stat.state);
  });
}

/** Returns a process's children that have not been waited for; empty if Linux was built without this file. */
export function childrenOf(pid: number): number[] {
  return (readProc(`${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

/**
 * Returns the environment a process was started with: `NAME=VALUE`, each followed by NUL; `undefined` if the process is gone or
 * belongs to another user.
 */
export function environmentOf(pid: number): string | undefined {
  return readProc(`${pid}/environ`);
}

/** Returns a process's command line, separated by spaces; `undefined` if the process is gone. Linux only. */
export function commandLineOf(pid: number): string | undefined {
  const words = readProc(`${pid}/cmdline`);
  return words && Buffer.from(words, "latin1").toString("utf8").replace(/\0$/, "").replaceAll("\0", " ");
}

function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return undefined;
  }
}
