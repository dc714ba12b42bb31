import { isAlive, isDeadState, readStat } from "@ikigai/system";

/** Whether a process is still there. One that has ended and that nobody has waited for (a zombie) is not. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && (process.platform !== "linux" || !isDeadState(readStat(pid)?.state ?? "Z"));
}
