import { setTimeout as sleep } from "node:timers/promises";

/** What a call without a host may take, in milliseconds. */
const defaultMs = 120_000;

/** The call is cancelled on the server before the host gives up, in milliseconds. */
const reserveMs = 500;

/** How long to wait for the host to end a call that has run out of time, in milliseconds: the host's result names the limit. */
const patienceMs = 3_000;

/** How long a server may take for a call, in milliseconds. */
export function serverTimeMs({ IKIGAI_TIMEOUT_MS: given }: Readonly<Record<string, string | undefined>>): number {
  const ms = Number(given);
  return Math.max(1, (Number.isInteger(ms) && ms > 0 ? ms : defaultMs) - reserveMs);
}

/** Waits until the host ends a call that has run out of time, if there is a host. */
export async function untilHostEnds(
  { IKIGAI_TIMEOUT_MS: given }: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  if (given === undefined) return;
  await sleep(patienceMs, undefined, { signal }).catch(() => {});
}
