import type { Patience } from "../config/patience.ts";
import { ModelError } from "../model/model-error.ts";

/** Aborts a request after too long without activity. */
export interface Watch {
  /** Data arrived. */
  sawData(): void;
  /** Something other than data arrived; it counts if the user configures that. */
  sawPing(): void;
  /** Sets what to do on a timeout, replacing the previous handler. */
  onExpiry(end: (error: ModelError) => void): void;
  stop(): void;
}

export function startWatch(server: string, { firstByteTimeoutMs, idleTimeoutMs, pingsCount }: Patience): Watch {
  let end: (error: ModelError) => void = () => {};
  const expire = (text: string) => () => end(new ModelError("timeout", text, { retryable: true }));
  let timer = setTimeout(expire(`No response from ${server} for ${seconds(firstByteTimeoutMs)}.`), firstByteTimeoutMs);
  const idle = expire(`${server} stopped in the middle of a response: no data for ${seconds(idleTimeoutMs)}.`);
  let started = false;
  const restart = () => {
    // Restarting a timer is cheap; creating one for each of a million deltas is not.
    if (started) return void timer.refresh();
    started = true;
    clearTimeout(timer);
    timer = setTimeout(idle, idleTimeoutMs);
  };
  return {
    sawData: restart,
    sawPing: () => {
      if (pingsCount) restart();
    },
    onExpiry: (handler) => {
      end = handler;
    },
    stop: () => clearTimeout(timer),
  };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
