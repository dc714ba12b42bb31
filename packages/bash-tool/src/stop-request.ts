import { maxTimeoutMs } from "@ikigai/protocol";

/** The exit code of timeout(1). */
const timeUpCode = 124;

/** Extra time under a host, in milliseconds, so that the host's own timeout fires and is reported first. */
const hostLeadMs = 1_000;

/** The signals by which a host, terminal or shell stops the tool. */
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Waits for a reason to stop a command, until the end of its `using` block. */
export interface StopRequest extends Disposable {
  /** Settles with the exit code to report if the command must be stopped: by a signal to the tool, or after the caller's timeout. */
  readonly requested: Promise<number>;
}

/** From now on until it is disposed of, SIGTERM, SIGINT and SIGHUP do not end this process, so that it can still answer. */
export function stopRequest(timeoutMs: number | undefined): StopRequest {
  let settle: (exitCode: number) => void = () => {};
  const requested = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const onSignal = (_: NodeJS.Signals, number: number) => settle(128 + number);
  for (const signal of stopSignals) process.on(signal, onSignal);
  const leadMs = process.env.IKIGAI_TIMEOUT_MS === undefined ? 0 : hostLeadMs;
  const timer = timeoutMs && setTimeout(settle, Math.min(timeoutMs, maxTimeoutMs) + leadMs, timeUpCode).unref();
  return {
    requested,
    [Symbol.dispose]() {
      clearTimeout(timer);
      // After the answer has been written.
      setImmediate(() => {
        for (const signal of stopSignals) process.off(signal, onSignal);
      });
    },
  };
}
