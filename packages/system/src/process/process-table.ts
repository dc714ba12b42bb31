import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isDeadState, readStat } from "./process-stat.ts";

/** Up to this many process IDs are tried one by one; beyond, listing /proc is quicker. */
const maxTried = 64;

/** The IDs of all processes that can be seen from here; none where there is no `/proc`. */
export function processIds(): number[] {
  if (process.platform !== "linux") return [];
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    // It is not mounted.
    return [];
  }
}

/** The ID that Linux gave last, to a process or a thread: it counts up, until it starts again from the bottom. */
export function newestId(): number {
  return Number(readProc("loadavg")?.split(" ").at(-1) ?? 0);
}

/** The processes that may have started after `fromPid` and until `newestId()` was `lastId`: most often none or a few. */
export function processIdsBetween(fromPid: number, lastId: number): number[] {
  const span = lastId - fromPid;
  if (span >= 0 && span <= maxTried) {
    const numbers = Array.from({ length: span }, (_, index) => fromPid + 1 + index);
    return numbers.filter((id) => existsSync(`/proc/${id}`) && !isThread(id, fromPid));
  }
  const all = processIds();
  return span >= 0 ? all.filter((pid) => pid > fromPid) : all;
}

/** Threads are counted with the processes, and those of one that is being killed are there for a moment. */
function isThread(id: number, pid: number): boolean {
  return existsSync(`/proc/${id}/task/${pid}`);
}

/** The members of a process group that have not ended: a zombie still belongs to its group. Linux only. */
export function runningMembers(groupId: number): number[] {
  return processIds().filter((pid) => {
    const stat = readStat(pid);
    return stat?.group === groupId && !isDeadState(stat.state);
  });
}

/** The processes that a process has started and not yet waited for; none where Linux was built not to tell. */
export function childrenOf(pid: number): number[] {
  return (readProc(`${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

/**
 * The environment that a process was started with, `NAME=VALUE` with a NUL after each; `undefined` when it cannot be read:
 * the process is gone, or another user's.
 */
export function environmentOf(pid: number): string | undefined {
  return readProc(`${pid}/environ`);
}

function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return undefined;
  }
}
