import { unlinkSync } from "node:fs";

const leftovers = new Set<string>();

/** What a host, a terminal or a shell ends a process with; SIGKILL leaves no time for anything. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Has a file removed should a signal end the process, until the value is disposed of. */
export function removeOnSignal(path: string): Disposable {
  if (leftovers.size === 0) for (const signal of signals) process.once(signal, end);
  leftovers.add(path);
  return {
    [Symbol.dispose]() {
      leftovers.delete(path);
      if (leftovers.size === 0) for (const signal of signals) process.off(signal, end);
    },
  };
}

function end(signal: NodeJS.Signals): void {
  for (const path of leftovers) removeQuietly(path);
  // The listener is gone by now, so the signal does what it does to any process.
  process.kill(process.pid, signal);
}

/** Removes a file; that it cannot be removed changes nothing for the caller. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster, or the disk is gone.
  }
}
