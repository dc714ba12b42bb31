import { exitCodes } from "./exit-codes.ts";
import { shutdown } from "./shutdown.ts";

const endings = { SIGTERM: exitCodes.terminated, SIGHUP: exitCodes.hangup, SIGQUIT: exitCodes.quit } as const;

/** Handlers of Ctrl-C; the last one is active. */
const handlers: (() => void)[] = [];

/** Makes signals shut the process down cleanly, and Ctrl-C interrupt the current work. */
export function listenToSignals(): void {
  for (const [name, code] of Object.entries(endings)) {
    // A closed window sends it twice, from the terminal and from the shell, so a second one is not urgent.
    const isUrgent = name !== "SIGHUP";
    process.on(name, () => void shutdown(code, { isUrgent }));
  }
  process.on("SIGINT", interrupt);
}

/** Runs the active handler of Ctrl-C; without one, ends ikigai. */
export function interrupt(): void {
  const handler = handlers.at(-1);
  if (handler) handler();
  else void shutdown(exitCodes.interrupted, { isUrgent: true });
}

/** Sets what Ctrl-C does; returns a function that undoes it. */
export function onInterrupt(wanted: () => void): () => void {
  // Wrapped, so that each registration is distinct.
  const handler = () => wanted();
  handlers.push(handler);
  return () => {
    const index = handlers.indexOf(handler);
    if (index >= 0) handlers.splice(index, 1);
  };
}
