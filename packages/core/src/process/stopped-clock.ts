/** The clock of a call: it can stand still, for instance while a person is asked. */
export class StoppedClock {
  #stoppedMs = 0;
  #stopped: { readonly sinceMs: number; readonly runs: Promise<void>; readonly start: () => void } | undefined;

  /** How long it has stood still, in milliseconds. */
  get stoppedMs(): number {
    return this.#stoppedMs + (this.#stopped ? performance.now() - this.#stopped.sinceMs : 0);
  }

  /** Settles when it runs; `undefined` if it does. */
  get untilRuns(): Promise<void> | undefined {
    return this.#stopped?.runs;
  }

  stop(): void {
    if (this.#stopped) return;
    let start = () => {};
    const runs = new Promise<void>((settle) => {
      start = settle;
    });
    this.#stopped = { sinceMs: performance.now(), runs, start };
  }

  start(): void {
    this.#stoppedMs = this.stoppedMs;
    this.#stopped?.start();
    this.#stopped = undefined;
  }
}
