import { constants } from "node:os";
import { maxTimeoutMs } from "@ikigai/protocol";

/** What timeout(1) exits with. */
const timeUpCode = 124;

/** How much later than the host the tool ends a command whose time is up, in milliseconds: the host is the one to tell. */
const hostLeadMs = 1_000;

/**
 * Settles with the exit code to report when a command has to stop: somebody wants the tool to end, or the time is up that
 * the caller gave. From now on the signals that end a program do not end this one, so that it can give its answer.
 */
export function stopRequest(timeoutMs: number | undefined): Promise<number> {
  return new Promise((settle) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => settle(128 + constants.signals[signal]));
    }
    if (timeoutMs === undefined) return;
    const leadMs = process.env.IKIGAI_TIMEOUT_MS === undefined ? 0 : hostLeadMs;
    setTimeout(settle, Math.min(timeoutMs, maxTimeoutMs) + leadMs, timeUpCode).unref();
  });
}
