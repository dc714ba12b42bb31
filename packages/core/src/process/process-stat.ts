import { readFileSync } from "node:fs";
import { childrenOf, isDeadState, readStat } from "@ikigai/system";

/** Linux's PF_EXITING and PF_KTHREAD. */
const exitingFlag = 0x4;
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
 * Whether the kernel has set PF_EXITING: its pipes closed because the process is ending.
 *
 * @param unknown the result if that cannot be determined, for instance without a free descriptor.
 */
export function isExiting(pid: number, unknown = true): boolean {
  const stat = readStat(pid);
  return stat ? (stat.flags & exitingFlag) !== 0 : unknown;
}

/** Whether a process has been killed, or is exiting, and its program no longer runs. Linux only; false elsewhere. */
export function isDying(pid: number): boolean {
  // In this order: a pending SIGKILL is taken off just before PF_EXITING is set.
  return hasPendingKill(pid) || isExiting(pid, false);
}

/** Bit of SIGKILL in the signal sets of `/proc/PID/status`. */
const killBit = 1n << 8n;

function hasPendingKill(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return [...status.matchAll(/^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$/gm)].some(
      ([, set]) => (BigInt(`0x${set}`) & killBit) !== 0n,
    );
  } catch {
    return false;
  }
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
