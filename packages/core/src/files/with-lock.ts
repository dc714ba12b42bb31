import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { privateFileMode } from "./private-modes.ts";

/** Nobody holds a lock longer than it takes to write a small file or to rename some; an older one was left by a process that died. */
const staleLockMs = 5_000;
const lockPauseMs = 20;

/**
 * Does something while no other process does so for the same file: `PATH.lock` is there meanwhile. Only for what takes
 * milliseconds; after five seconds the lock counts as left behind.
 *
 * @throws the system's error when the lock cannot be made, and what `work` throws.
 */
export async function withLock<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  await takeLock(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  for (const startedAtMs = performance.now(); ; ) {
    try {
      closeSync(openSync(lock, "wx", privateFileMode));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // Our own patience counts too: the system's clock may have been set back.
    const waitedMs = performance.now() - startedAtMs;
    if (Math.max(ageMs, waitedMs) > staleLockMs) rmSync(lock, { force: true });
    else await sleep(lockPauseMs);
  }
}
