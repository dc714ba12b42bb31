/** What was created since the watch began. */
export interface WatchedResources {
  /** Whether a timer is still running. */
  hasTimers(): boolean;
  /** Whether a child process was started. */
  hasSpawned(): boolean;
}

/** How many timers are noted before those that have ended are dropped. */
const pruneEvery = 1_024;

/**
 * Watches timers and child processes, also those that do not keep the process alive (`unref`): they are missing from
 * `process.getActiveResourcesInfo()`.
 */
export function watchResources(): WatchedResources {
  // Loaded here, since a process that answers one call does not need it.
  const { createHook } = process.getBuiltinModule("node:async_hooks");
  let timers: WeakRef<object>[] = [];
  let hasSpawned = false;
  const prune = () => {
    timers = timers.filter((timer) => isRunning(timer.deref()));
    return timers.length > 0;
  };
  createHook({
    init(_id, type, _trigger, resource) {
      if (type === "PROCESSWRAP") hasSpawned = true;
      if (type === "Timeout" && timers.push(new WeakRef(resource)) % pruneEvery === 0) prune();
    },
  }).enable();
  return {
    hasTimers: prune,
    hasSpawned: () => hasSpawned,
  };
}

/** Node has no public property for this. Were it renamed, every timer would count as ended. */
function isRunning(timer: object | undefined): boolean {
  return timer !== undefined && "_destroyed" in timer && timer._destroyed === false;
}
