import { exitCodes } from "../exit-codes.ts";
import type { Session } from "./session.ts";

/** How long what goes on may take to stop, in milliseconds; then the process ends without it. */
const patienceMs = 3_000;

const endings = { SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hangup } as const;

/** Ends the REPL in order when the process is told to end, and lets Ctrl-C stop what goes on. */
export function endOnSignals(session: Session): { exitCode: number | undefined; stop(): void } {
  const watch = { exitCode: undefined as number | undefined, stop };
  session.input.onInterrupt = interrupt;
  const listeners = Object.entries(endings).map(([name, code]) => {
    const listener = () => {
      watch.exitCode = code;
      session.interrupt?.();
      session.input.close();
      setTimeout(() => process.exit(code), patienceMs).unref();
    };
    process.on(name, listener);
    return { name, listener };
  });
  // Without a terminal nobody reads keys, and Ctrl-C comes as a signal.
  const onInterrupt = () => {
    watch.exitCode = exitCodes.interrupted;
    if (!interrupt()) session.input.close();
  };
  process.on("SIGINT", onInterrupt);
  return watch;

  function interrupt(): boolean {
    const { interrupt: stopWork } = session;
    stopWork?.();
    return stopWork !== undefined;
  }

  function stop(): void {
    process.off("SIGINT", onInterrupt);
    for (const { name, listener } of listeners) process.off(name, listener);
  }
}
