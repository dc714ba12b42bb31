import { Lock, lockState } from "@ikigai/system";

/** Held by the process that writes a session. */
export interface SessionLock {
  /** Whether it is still ours: a process that was stopped for long may have lost it. */
  isOwn(): boolean;
  release(): void;
}

/** How often it is refreshed, in milliseconds: a session is open for hours. */
const refreshMs = 10_000;

/**
 * Takes the lock of a session; `undefined` when another living process has it.
 *
 * @throws the system's error when no lock can be made there, or one that says what is in its place.
 */
export function lockSession(path: string): SessionLock | undefined {
  const lock = new Lock(path, { refreshMs });
  if (!lock.tryTake()) return undefined;
  return {
    // Somebody who removed the lock by hand did not want to lose the session.
    isOwn: () => lock.isOwn() || lock.tryTake(),
    release: () => lock.release(),
  };
}

/** Whether a living process has the lock. */
export function isHeld(path: string): boolean {
  return lockState(path) === "held";
}
