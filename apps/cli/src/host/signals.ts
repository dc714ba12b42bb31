import { exitCodes } from "./exit-codes.ts";
import { shutdown } from "./shutdown.ts";

const endings = { SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hangup, SIGQUIT: exitCodes.quit } as const;

/** What Ctrl-C may do; the last one is what it does. */
const handlers: (() => void)[] = [];

/** Lets signals end the process in order, and Ctrl-C interrupt what is going on. */
export function listenToSignals(): void {
  for (const [name, code] of Object.entries(endings)) {
    // A window that is closed sends it twice, by its terminal and by its shell: nobody is impatient.
    const isUrgent = name !== "SIGHUP";
    process.on(name, () => void shutdown(code, { isUrgent }));
  }
  process.on("SIGINT", interrupt);
}

/** Does what Ctrl-C does now: whatever was asked for by `onInterrupt`, else ikigai ends. */
export function interrupt(): void {
  const handler = handlers.at(-1);
  if (handler) handler();
  else void shutdown(exitCodes.interrupted, { isUrgent: true });
}

/** Says what Ctrl-C does from now on; returns what takes it back. */
export function onInterrupt(wanted: () => void): () => void {
  // Wrapped, so that each registration is one of its own.
  const handler = () => wanted();
  handlers.push(handler);
  return () => {
    const index = handlers.indexOf(handler);
    if (index >= 0) handlers.splice(index, 1);
  };
}
