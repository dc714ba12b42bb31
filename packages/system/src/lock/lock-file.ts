import { unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeOnSignal } from "../process/remove-on-signal.ts";
import { Lock } from "./lock.ts";
import { parseHolder } from "./lock-holder.ts";

/** The right to replace a file, given up at the end of its `using` block. */
export interface FileLock extends Disposable {
  /** The file, which may not exist yet. */
  readonly target: string;
  /** Where the holder gathers the next content. */
  readonly temporary: string;
  /**
   * Makes sure that the lock is still held, right before the change.
   *
   * @throws LockError when another process took it.
   */
  check(): void;
}

/** How long another tool may keep the lock, in milliseconds: a replacement takes one, a busy disk some hundred. */
export const fileLockPatienceMs = 5_000;

/** How much of a file's name goes into the names beside it, in bytes: with what follows they stay under 255. */
const maxNameBytes = 200;

/**
 * Waits for its turn at a file. Two tools that change one file at once come one after the other; what a killed tool left is
 * cleared away.
 *
 * @throws LockError when one tool keeps it for longer than 5 seconds, or something else is in the lock's place.
 * @throws the system's error when nothing can be made beside the file.
 */
export async function lockFile(target: string): Promise<FileLock> {
  const name = Buffer.from(basename(target)).subarray(0, maxNameBytes);
  const stem = `${dirname(target)}/.${name}.ikigai-`;
  const lock = new Lock(`${stem}lock`);
  const guard = removeOnSignal(() => lock.release());
  const release = () => {
    lock.release();
    guard[Symbol.dispose]();
  };
  try {
    await lock.take(fileLockPatienceMs);
  } catch (error) {
    release();
    throw error;
  }
  const left = lock.takenOverFrom && temporaryFor(stem, lock.takenOverFrom);
  if (left) removeQuietly(left);
  const temporary = temporaryFor(stem, lock.text) ?? `${stem}${process.pid}`;
  return { target, temporary, check: () => lock.check(), [Symbol.dispose]: release };
}

/** A name that no other living process gives to its file: one that lost its lock must not touch what the next holder writes. */
function temporaryFor(stem: string, lockText: string): string | undefined {
  const holder = parseHolder(lockText);
  return holder && `${stem}${holder.pid}.${holder.start}.${holder.namespace.split("-").at(-1)}`;
}

/** Removes a file; that it cannot be removed changes nothing for the caller. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or the disk is.
  }
}
