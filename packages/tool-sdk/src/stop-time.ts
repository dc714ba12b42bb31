/** Which part of the time of a call is kept back for its answer, and at most how much, in milliseconds. */
const keptPart = 0.1;
const maxKeptMs = 3_000;

/** A clock that no change of the date moves, in milliseconds: the same in all threads of a process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** When a call that begins now has to stop its work, so that its answer is out before the host ends it. */
export function stopAt(timeoutMs: number): number {
  return monotonicMs() + timeoutMs - Math.min(timeoutMs * keptPart, maxKeptMs);
}
