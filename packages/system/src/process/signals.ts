/** What to do if a signal ends the process. */
const cleanups = new Set<() => void>();

/** Signals by which a host, terminal or shell ends a process; SIGKILL cannot be handled. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Calls `remove` if a signal ends the process before the returned value is disposed of. Register before creating the file: a
 * signal in between would leave it. If the process has its own handler for the signal, nothing is removed.
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
  // The listener is removed by now, so the signal has its default effect.
  process.kill(process.pid, signal);
}

/** Returns whether there is a process with this id, of any user. A zombie counts. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to a process group; returns whether there is one. Signal 0 only checks. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // ESRCH: the group is empty. EPERM: only zombies are left (macOS), or processes of another user.
    return false;
  }
}
