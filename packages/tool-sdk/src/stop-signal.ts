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
