import type { Progress } from "@ikigai/protocol";
import { unlessAborted } from "@ikigai/system";
import type { Report, ServiceEnd } from "./open-calls.ts";

/** What becomes of a start. `failed`: the service has answered the calls that wait for it. */
export type StartResult =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly answer: Buffer }
  | { readonly kind: "impossible"; readonly failure: string }
  | ServiceEnd;

/** The start of a service, and the calls that wait for it. */
export class ServiceStart {
  readonly #waiting = new Set<Report>();
  readonly #result: Promise<StartResult>;
  #settle: (result: StartResult) => void = () => {};

  /**
   * @param limitMs how long it may take, in milliseconds
   * @param late called when it has taken longer
   */
  constructor(limitMs: number, late: () => void) {
    this.#result = new Promise((settle) => {
      this.#settle = settle;
    });
    const timer = setTimeout(late, limitMs).unref();
    void this.#result.then(() => clearTimeout(timer));
  }

  /** The first result counts. */
  settle(result: StartResult): void {
    this.#settle(result);
  }

  /** Passes on the progress of the start. */
  report(progress: Progress): void {
    for (const report of this.#waiting) report(progress);
  }

  /** Waits for the result; `undefined` if the signal aborts first, and the start continues. @param report gets its progress. */
  async until(report: Report, signal: AbortSignal | undefined): Promise<StartResult | undefined> {
    this.#waiting.add(report);
    try {
      return await unlessAborted(this.#result, signal);
    } finally {
      this.#waiting.delete(report);
    }
  }
}
