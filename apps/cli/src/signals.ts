import { exitCodes } from "./exit-codes.ts";

/** The signals that ask ikigai to end, and what it exits with then. */
const endings: Partial<Record<NodeJS.Signals, number>> = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hangup,
};

/** What is done may be stopped by a signal; `exitCode` is then set. */
export interface SignalWatch {
  readonly signal: AbortSignal;
  /** What to exit with, once a signal has come. */
  readonly exitCode: number | undefined;
  /** Lets signals end the process as usual again. */
  stop(): void;
}

/** How long the work may take to end after a signal, in milliseconds: tools get two seconds of it. */
const patienceMs = 4_000;

/** Turns the first signal into an abort, and the second one, or none of the work's ending, into an exit. */
export function untilSignal(): SignalWatch {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const listeners = Object.entries(endings).map(([name, code]) => {
    const listener = () => {
      if (exitCode !== undefined) process.exit(exitCode);
      exitCode = code;
      controller.abort();
      setTimeout(() => process.exit(code), patienceMs).unref();
    };
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    stop() {
      for (const remove of listeners) remove();
    },
  };
}
