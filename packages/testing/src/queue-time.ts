import { readFileSync } from "node:fs";

/** How often to look, in milliseconds: what is missed after the last look is short. */
const pollMs = 10;

/**
 * Starts to measure how long a process is ready to run while the processors are busy with others. Linux only; 0 elsewhere.
 *
 * @returns a function that ends it and returns the time in milliseconds, at most that: children of the process are not counted.
 */
export function measureQueueTime(pid: number): () => number {
  let queuedMs = 0;
  const look = () => {
    queuedMs = readQueueMs(pid) ?? queuedMs;
  };
  const timer = setInterval(look, pollMs);
  return () => {
    clearInterval(timer);
    return queuedMs;
  };
}

/** Reads the second field of `/proc/PID/schedstat`, in nanoseconds. */
function readQueueMs(pid: number): number | undefined {
  try {
    const queuedMs = Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
    return Number.isFinite(queuedMs) ? queuedMs : undefined;
  } catch {
    return undefined;
  }
}
