/** What has to be removed should a signal end the process. */
const cleanups = new Set<() => void>();

/** What a host, a terminal or a shell ends a process with; SIGKILL leaves no time for anything. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Has something removed should a signal end the process, until the value is disposed of. Before it is made: between the two a
 * signal would leave it. A process that handles the signals itself goes on or ends in its own way, and nothing is removed.
 */
export function removeOnSignal(remove: () => void): Disposable {
  if (cleanups.size === 0) for (const signal of signals) process.once(signal, end);
  cleanups.add(remove);
  return {
    [Symbol.dispose]() {
      cleanups.delete(remove);
      if (cleanups.size === 0) for (const signal of signals) process.off(signal, end);
    },
  };
}

function end(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 0) return void process.once(signal, end);
  for (const remove of cleanups) remove();
  // The listener is gone by now, so the signal does what it does to any process.
  process.kill(process.pid, signal);
}
