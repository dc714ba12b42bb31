import { Lock } from "./lock.ts";

/** How long another process may hold the lock, in milliseconds: writing a small file takes a few. */
const patienceMs = 10_000;

/**
 * Runs `work` while holding the lock `PATH.lock`. Only for work that
 * takes milliseconds. The lock of a killed process is taken over.
 *
 * @throws LockError, which says who holds the lock or what to remove, after 10 seconds; the system's error if it cannot be
 * created; and whatever `work` throws.
 */
export async function withLock<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  const lock = new Lock(`${path}.lock`);
  try {
    await lock.take(patienceMs);
    return await work();
  } finally {
    lock.release();
  }
}
