import type { Patience } from "../config/patience.ts";
import { ModelError } from "../model/model-error.ts";

/** Ends a request on which nothing happens for too long. */
export interface Watch {
  /** Data has come. */
  sawData(): void;
  /** Something that is no data has come, which counts if the user says so. */
  sawPing(): void;
  /** What to do when the time is up; the last one given counts. */
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
    // A timer is cheap to push back and dear to make anew for each of a million deltas.
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
