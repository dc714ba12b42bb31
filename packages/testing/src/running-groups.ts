import { signalGroup } from "@ikigai/system";

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
