import { childrenOf, exitingFlag, isDeadState, readStat } from "@ikigai/system";

/** Linux's PF_KTHREAD. */
const kernelThreadFlag = 0x20_0000;

/**
 * Returns whether a process or one of its children is computing, ready to compute or reading from a disk, as opposed to
 * waiting. Linux only; false elsewhere.
 */
export function isBusy(pid: number): boolean {
  const { state } = readStat(pid) ?? {};
  return state === "R" || state === "D" || childrenOf(pid).some(isBusy);
}

/**
 * Returns whether a process with an empty environment may still get one: in the middle of `execve` it has the new program's
 * memory without an environment. The end of its code (`codeEnd`) is set first afterwards. A process started with an empty
 * environment has one of length 0.
 */
export function mayHaveEnvironment(pid: number): boolean {
  const { state = "Z", flags = 0, codeEnd, environment: [start, end] = [] } = readStat(pid) ?? {};
  const hasMemory = !isDeadState(state) && (flags & (exitingFlag | kernelThreadFlag)) === 0;
  return hasMemory && (codeEnd === "0" || start !== end);
}
