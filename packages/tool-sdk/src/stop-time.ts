/** The share of a call's time reserved for its answer, and its maximum in milliseconds. */
const keptPart = 0.1;
const maxKeptMs = 3_000;

/** The time of a monotonic clock, in milliseconds, which is the same in all threads of a process. Never throws. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** When a call that starts now must stop its work to answer before the host stops it. */
export function stopAt(timeoutMs: number): number {
  return monotonicMs() + timeoutMs - Math.min(timeoutMs * keptPart, maxKeptMs);
}
