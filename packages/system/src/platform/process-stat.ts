import { readFileSync } from "node:fs";
import { readOften, stopReading } from "./read-often.ts";

/** Linux's PF_EXITING, among the flags of a process. */
export const exitingFlag = 0x4;

/** Fields of Linux's `/proc/PID/stat`. */
export interface ProcessStat {
  /** `Z` for a zombie. */
  readonly state: string;
  readonly group: number;
  readonly flags: number;
  /** Start time, in ticks since boot. */
  readonly startTicks: string;
  /** Where its code ends in memory. */
  readonly codeEnd: string | undefined;
  /** Where its environment starts and ends in memory. */
  readonly environment: readonly string[];
}

function statFile(pid: number | string): string {
  return `/proc/${pid}/stat`;
}

/** Reads `/proc/PID/stat`; `undefined` on other systems, and if there is no such process. */
export function readStat(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readFileSync(statFile(pid), "latin1");
    // "pid (command) state parent group session tty foreground flags …", where the command may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", , group, , , , flags] = fields;
    return {
      state,
      group: Number(group),
      flags: Number(flags),
      startTicks: fields[19] ?? "",
      codeEnd: fields[24],
      environment: fields.slice(47, 49),
    };
  } catch {
    return undefined;
  }
}

/** The state of a process that is looked at before each call, until `stopWatching`; `undefined` like `readStat`. */
export function watchState(pid: number): string | undefined {
  const stat = readOften(statFile(pid));
  return stat?.[stat.lastIndexOf(")") + 2];
}

/** Lets go of a process of `watchState`. */
export function stopWatching(pid: number): void {
  stopReading(statFile(pid));
}

/** Whether a state is that of a dead process or a zombie. */
export function isDeadState(state: string): boolean {
  return state === "Z" || state === "X" || state === "x";
}
