import { Lock, lockState } from "@ikigai/system";

/** The lock of the process that writes a session. */
export interface SessionLock {
  /** Whether this process still holds it: a process that was suspended for long may have lost it. */
  isOwn(): boolean;
  release(): void;
}

/** How often the lock is refreshed, in milliseconds: a session is open for hours. */
const refreshMs = 10_000;

/**
 * Locks a session; `undefined` if another running process holds the lock.
 *
 * @throws the system's error if the lock file cannot be created, or an error that says what is in its place.
 */
export function lockSession(path: string): SessionLock | undefined {
  const lock = new Lock(path, { refreshMs });
  if (!lock.tryTake()) return undefined;
  return {
    // A user who deletes the lock file does not mean to lose the session.
    isOwn: () => lock.isOwn() || lock.tryTake(),
    release: () => lock.release(),
  };
}

/** Whether a running process holds the lock. */
export function isHeld(path: string): boolean {
  return lockState(path) === "held";
}
