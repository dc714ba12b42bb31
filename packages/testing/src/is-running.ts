import { isAlive, isDeadState, isLinux, readStat } from "@ikigai/system";

/** Whether a process is still there. One that has ended and that nobody has waited for (a zombie) is not. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && (!isLinux || !isDeadState(readStat(pid)?.state ?? "Z"));
}
