/** Returns the delay before the `attempt`th retry (from 1), in milliseconds, if the server does not specify one. */
export function backoffMs(attempt: number, firstRetryMs: number): number {
  const full = Math.min(firstRetryMs * 2 ** (attempt - 1), maxBackoffMs);
  // Half of the delay is random, so that many clients do not retry at the same time.
  return full / 2 + (full / 2) * Math.random();
}

/** Only the server can ask for longer delays. */
const maxBackoffMs = 30_000;
