import { readdirSync, readFileSync } from "node:fs";
import { isDeadState, readStat } from "./process-stat.ts";

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

/** The members of a process group that have not ended: a zombie still belongs to its group. Linux only. */
export function runningMembers(groupId: number): number[] {
  return processIds().filter((pid) => {
    const stat = readStat(pid);
    return stat?.group === groupId && !isDeadState(stat.state);
  });
}

/** The environment that a process was started with, `NAME=VALUE` with a NUL after each; empty when it cannot be read. */
export function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It is gone, or another user's.
    return "";
  }
}
