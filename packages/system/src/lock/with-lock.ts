import { Lock } from "./lock.ts";

/** How long another process may keep the lock, in milliseconds: it takes some to write a small file or to rename a few. */
const patienceMs = 10_000;

/**
 * Does something while no other process does so for the same file: `PATH.lock` is there meanwhile. Only for what takes
 * milliseconds. The lock of a process that was killed is taken over.
 *
 * @throws an Error that says who holds the lock, or what to remove, when it cannot be had in 10 seconds; the system's error when
 * it cannot be made; and what `work` throws.
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
