/** How long to wait before the `attempt`th retry (from 1), in milliseconds, when the server does not say. */
export function backoffMs(attempt: number, firstRetryMs: number): number {
  const full = Math.min(firstRetryMs * 2 ** (attempt - 1), maxBackoffMs);
  // Half of it is left to chance, so that many clients do not come back at once.
  return full / 2 + (full / 2) * Math.random();
}

/** Longer waits are the server's to ask for. */
const maxBackoffMs = 30_000;
