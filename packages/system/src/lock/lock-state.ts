import { readEntry } from "./lock-entry.ts";
import { LockError } from "./lock-error.ts";
import { parseHolder } from "./lock-holder.ts";
import { LockWatch } from "./lock-watch.ts";

/**
 * Returns the state of a lock without waiting: `abandoned` if its holder has ended; `held` also if the path is occupied by
 * something that must be removed by hand.
 */
export function lockState(path: string): "free" | "held" | "abandoned" {
  try {
    const entry = readEntry(path);
    if (entry === undefined) return "free";
    return new LockWatch().isAbandoned(entry) ? "abandoned" : "held";
  } catch (error) {
    if (error instanceof LockError) return "held";
    // Without access to the directory no lock can be taken there either.
    return "free";
  }
}

/** Returns whether this is a lock of ours whose holder has ended. False for a file of any other content. Never throws. */
export function isLeftLock(path: string): boolean {
  try {
    const entry = readEntry(path);
    return entry !== undefined && parseHolder(entry.text) !== undefined && new LockWatch().isAbandoned(entry);
  } catch {
    return false;
  }
}

/** Returns the process that holds a lock, if it is known to be running; `undefined` otherwise. Never throws. */
export function lockHolder(path: string): number | undefined {
  try {
    const entry = readEntry(path);
    const watch = new LockWatch();
    return entry && !watch.isAbandoned(entry) ? watch.pid : undefined;
  } catch {
    return undefined;
  }
}
