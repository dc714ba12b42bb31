import { WebError } from "./web-error.ts";

/** The time limits of one request, as a signal that aborts with the failure. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts the time for the headers of a response. */
  awaitHeaders(host: string): Disposable;
}

/** Starts the time of a request. Its timers end with the `using` block, so that a process can answer the next call. */
export function startDeadline(limits: { readonly totalMs: number; readonly firstByteMs: number }): Deadline {
  const controller = new AbortController();
  const after = (milliseconds: number, what: string): Disposable => {
    const timer = setTimeout(
      () => controller.abort(new WebError("TIMEOUT", `${what} within ${Math.ceil(milliseconds / 100) / 10} s.`)),
      Math.max(milliseconds, 0),
    );
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  };
  const whole = after(limits.totalMs, "The response was not complete");
  return {
    signal: controller.signal,
    awaitHeaders: (host) => after(limits.firstByteMs, `${host} did not respond`),
    [Symbol.dispose]: () => whole[Symbol.dispose](),
  };
}
