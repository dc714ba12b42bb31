import { readFileSync } from "node:fs";

/** What Linux tells of a process. */
export interface ProcessStat {
  /** `Z` of one that has ended and that nobody has waited for. */
  readonly state: string;
  readonly group: number;
  readonly flags: number;
  /** When it started, in the kernel's ticks since the machine did. */
  readonly startTicks: string;
  readonly codeEnd: string | undefined;
  /** Where its environment begins and ends in its memory. */
  readonly environment: readonly string[];
}

/** Reads `/proc/PID/stat`; `undefined` on other systems, and when there is no such process. */
export function readStat(pid: number | string): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
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

/** Whether a state is that of a process that has ended and that nobody has waited for. */
export function isDeadState(state: string): boolean {
  return state === "Z" || state === "X" || state === "x";
}
