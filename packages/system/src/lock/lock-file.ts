import { unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeOnSignal } from "../process/remove-on-signal.ts";
import { Lock } from "./lock.ts";
import { parseHolder } from "./lock-holder.ts";

/** The exclusive right to replace a file, released at the end of its `using` block. */
export interface FileLock extends Disposable {
  /** The file, which may not exist yet. */
  readonly target: string;
  /** Path for the new content until it is renamed. */
  readonly temporary: string;
  /**
   * Checks that the lock is still held; call it right before the change.
   *
   * @throws LockError if another process has taken it over.
   */
  check(): void;
}

/** How long another tool may hold the lock, in milliseconds: a replacement takes one, with a busy disk some hundred. */
export const fileLockPatienceMs = 5_000;

/** How much of a file's name is used in the names of lock and temporary file, in bytes, so that they stay under 255. */
const maxNameBytes = 200;

/**
 * Waits for the lock on a file, so that concurrent tools change it
 * one after the other. Removes the temporary file of a killed tool.
 *
 * @throws LockError if another tool holds it for more than 5 seconds, or its path is occupied.
 * @throws the system's error if no file can be created beside `target`.
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
  const temporary = temporaryFor(stem, lock.text) ?? `${stem}tmp.${process.pid}.`;
  return { target, temporary, check: () => lock.check(), [Symbol.dispose]: release };
}

/** A name unique to the holder: a process that lost its lock must not touch the next holder's file. */
function temporaryFor(stem: string, lockText: string): string | undefined {
  const holder = parseHolder(lockText);
  return holder && `${stem}tmp.${holder.pid}.${holder.start}.${holder.namespace.split("-").at(-1)}`;
}

/** Removes a file and ignores errors. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed, or the disk is gone.
  }
}
