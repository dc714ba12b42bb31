// How a call is stopped: by SIGTERM, by a frame, or at its time.

/** How a host stops a call: SIGTERM, as an `AbortSignal` for tools that ask for it. */
export interface StopSignal {
  /** Catches SIGTERM from the first call on until `release`. Without it SIGTERM ends the process, also while synchronous code runs. */
  signal(): AbortSignal;
  /** Whether the error was caused by this signal. */
  isCauseOf(error: unknown): boolean;
  /** Stops catching SIGTERM. */
  release(): void;
}

/** The stop signal of a call. A second SIGTERM ends it. */
export function stopSignal(): StopSignal {
  let controller: AbortController | undefined;
  let isReleased = false;
  const abort = () => controller?.abort();
  return {
    signal() {
      if (controller === undefined && !isReleased) process.once("SIGTERM", abort);
      controller ??= new AbortController();
      return controller.signal;
    },
    isCauseOf: (error) => controller?.signal.aborted === true && error instanceof Error && error.name === "AbortError",
    release() {
      isReleased = true;
      process.off("SIGTERM", abort);
    },
  };
}

/** How a host stops one call of several: by a frame. */
export interface CancelSignal extends Pick<StopSignal, "signal" | "isCauseOf"> {
  /** Aborts the signal. */
  cancel(): void;
}

/** The signal of a call. `onUnread` runs when the call is cancelled before it has asked for its signal. */
export function cancelSignal(onUnread: () => void = () => {}): CancelSignal {
  const controller = new AbortController();
  let isRead = false;
  return {
    signal() {
      isRead = true;
      return controller.signal;
    },
    cancel() {
      controller.abort();
      if (!isRead) onUnread();
    },
    isCauseOf: (error) => controller.signal.aborted && error instanceof Error && error.name === "AbortError",
  };
}

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
