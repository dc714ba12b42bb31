import { readFileSync } from "node:fs";

/** Whether a process is still there. One that has ended and that nobody has waited for (a zombie) is not. */
export function isRunning(pid: number): boolean {
  return exists(pid) && (process.platform !== "linux" || (readState(pid)?.state ?? "Z") !== "Z");
}

/** Whether the system knows a process, or a group when `id` is negative. */
export function exists(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" && process.platform === "linux";
  }
}

/** What Linux says of a process; `undefined` once it is gone. */
export function readState(pid: number | string): { state: string; groupId: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // "pid (command) state ppid pgrp …", where the command may hold spaces and parentheses.
    const [state = "", , groupId] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, groupId: Number(groupId) };
  } catch {
    return undefined;
  }
}
