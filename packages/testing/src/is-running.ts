import { isAlive, isDeadState, isLinux, readStat } from "@ikigai/system";

/** Whether a process is still running. A zombie is not. Never throws. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && (!isLinux || !isDeadState(readStat(pid)?.state ?? "Z"));
}
