import { readFileSync } from "node:fs";
import { exitingFlag, readStat } from "./process-stat.ts";

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
