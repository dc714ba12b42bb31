/** How a host stops a call: SIGTERM, as an `AbortSignal` for tools that ask for it. */
export interface StopSignal {
  /** Catches SIGTERM from the first call on. Without it SIGTERM ends the process, also while synchronous code runs. */
  signal(): AbortSignal;
  /** Whether an error is how code ends that this signal aborted. */
  isCauseOf(error: unknown): boolean;
}

/** The stop signal of this process. A second SIGTERM ends it. */
export function stopSignal(): StopSignal {
  let controller: AbortController | undefined;
  return {
    signal() {
      controller ??= abortOnSigterm();
      return controller.signal;
    },
    isCauseOf: (error) => controller?.signal.aborted === true && error instanceof Error && error.name === "AbortError",
  };
}

function abortOnSigterm(): AbortController {
  const controller = new AbortController();
  process.once("SIGTERM", () => controller.abort());
  return controller;
}
