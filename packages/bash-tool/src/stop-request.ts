import { constants } from "node:os";
import { maxTimeoutMs } from "@ikigai/protocol";

/** The exit code of timeout(1). */
const timeUpCode = 124;

/** Extra time under a host, in milliseconds, so that the host's own timeout fires and is reported first. */
const hostLeadMs = 1_000;

/**
 * Settles with the exit code to report if a command must be stopped: by a signal to the tool, or after the caller's timeout.
 * From now on, SIGTERM, SIGINT and SIGHUP do not end this process, so that it can still answer.
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
