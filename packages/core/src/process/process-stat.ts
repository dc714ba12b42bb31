import { readFileSync } from "node:fs";

/** Flags of Linux: PF_EXITING and PF_KTHREAD. */
const exitingFlag = 0x4;
const kernelThreadFlag = 0x20_0000;

/** What Linux tells of a process; nothing on other systems, and of what is not there any more. */
export function readStat(pid: number | string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // "pid (command) state parent group session tty foreground flags …", where the command may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", , group, , , , flags] = fields;
    return {
      state,
      group: Number(group),
      flags: Number(flags),
      codeEnd: fields[24],
      environment: fields.slice(47, 49),
    };
  } catch {
    return undefined;
  }
}

/** Whether a state is that of a process that has ended and is only waited for. */
export function isDeadState(state: string): boolean {
  return state === "Z" || state === "X";
}

/**
 * Whether a process or one of its children computes, or would if a processor were free, or reads from a disk: then it does
 * not hang. Only Linux tells; elsewhere nobody is busy.
 */
export function isBusy(pid: number): boolean {
  const { state } = readStat(pid) ?? {};
  return state === "R" || state === "D" || childrenOf(pid).some(isBusy);
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Whether a process has begun to exit, so that its pipes are closed because it is. True where that cannot be told. */
export function isExiting(pid: number): boolean {
  const { flags = exitingFlag } = readStat(pid) ?? {};
  return (flags & exitingFlag) !== 0;
}

/**
 * Whether a process whose environment was found empty may have one all the same: in the middle of `execve` it has the new
 * program's memory, and in it no environment yet. Where the program's code ends is the first thing that is known afterwards.
 * One that was given no environment has it somewhere, and it ends where it begins.
 */
export function mayHaveEnvironment(pid: number): boolean {
  const { state = "Z", flags = 0, codeEnd, environment: [start, end] = [] } = readStat(pid) ?? {};
  const hasMemory = !isDeadState(state) && (flags & (exitingFlag | kernelThreadFlag)) === 0;
  return hasMemory && (codeEnd === "0" || start !== end);
}
