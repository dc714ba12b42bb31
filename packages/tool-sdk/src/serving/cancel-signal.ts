import type { StopSignal } from "../stop-signal.ts";

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
