import { readFileSync } from "node:fs";

/** What Linux tells of a process. */
export interface KnownProcess {
  /** `Z` of one that has ended and that nobody has waited for. */
  readonly state: string;
  /** When it started, in the kernel's ticks since the machine did. */
  readonly startTicks: string;
}

/** `undefined` on other systems, and when there is no such process. */
export function readProcess(pid: number): KnownProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything; the first field after it is the state, the 20th the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTicks] = [fields[0], fields[19]];
    return state === undefined || startTicks === undefined ? undefined : { state, startTicks };
  } catch {
    return undefined;
  }
}
