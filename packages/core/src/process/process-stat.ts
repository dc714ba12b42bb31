import { childrenOf, isDeadState, readStat } from "@ikigai/system";

/** Flags of Linux: PF_EXITING and PF_KTHREAD. */
const exitingFlag = 0x4;
const kernelThreadFlag = 0x20_0000;

/**
 * Whether a process or one of its children computes, or would if a processor were free, or reads from a disk: then it does
 * not hang. Only Linux tells; elsewhere nobody is busy.
 */
export function isBusy(pid: number): boolean {
  const { state } = readStat(pid) ?? {};
  return state === "R" || state === "D" || childrenOf(pid).some(isBusy);
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
