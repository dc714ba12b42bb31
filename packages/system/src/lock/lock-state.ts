import { readEntry } from "./lock-entry.ts";
import { LockError } from "./lock-error.ts";
import { LockWatch } from "./lock-watch.ts";

/**
 * How things stand with a lock, at a glance: `held` also by what is no lock and has to be removed by hand, `abandoned` by a
 * process that is gone.
 */
export function lockState(path: string): "free" | "held" | "abandoned" {
  try {
    const entry = readEntry(path);
    if (entry === undefined) return "free";
    return new LockWatch().isAbandoned(entry) ? "abandoned" : "held";
  } catch (error) {
    if (error instanceof LockError) return "held";
    // Where nothing can be looked at, nothing can be taken either.
    return "free";
  }
}
