import type { BigIntStats } from "node:fs";
import {
  LockError,
  loadSpawning as load,
  lockFile as lock,
  WriteConflict as SystemWriteConflict,
  writeAtomically as write,
} from "@ikigai/system";
import { WriteConflict } from "./write-conflict.ts";

/** The right to replace a file, given up at the end of its `using` block. */
export interface FileLock extends Disposable {
  /** The file, which may not exist yet. */
  readonly target: string;
  /** Where this process gathers its next content. */
  readonly temporary: string;
  /**
   * Makes sure that the lock is still held, right before a change.
   *
   * @throws when another process took it.
   */
  check(): void;
}

/**
 * Waits for its turn at a file. Two tools that change one file at once come one after the other; what a killed tool left is
 * cleared away.
 *
 * @throws WriteConflict when one tool keeps it for longer than 5 seconds, or something else is in the lock's place.
 * @throws the system's error when nothing can be made beside the file.
 */
export function lockFile(target: string): Promise<FileLock> {
  return withConflicts(() => lock(target));
}

/**
 * Replaces a file's content as a whole: readers, a crash and a full disk see the old content or the new one. A new file gets
 * the mode that the umask allows; an existing one keeps mode, owner, group, access control list and extended attributes. Where
 * these cannot be copied, the file is written in place, which keeps them, and what it returns says so.
 *
 * @param before the state that `bytes` was made from; a file in any other state is left alone.
 * @returns what could not be kept, in sentences for the model; empty if nothing.
 * @throws WriteConflict when the file is not as it was `before`, or the lock was lost.
 * @throws the system's error; then the old content is intact and nothing lies beside it.
 */
export function writeAtomically(held: FileLock, bytes: Uint8Array, before?: BigIntStats): Promise<string[]> {
  return withConflicts(() => write(held, bytes, before));
}

/** Loads what `writeAtomically` needs: for a tool that waits for its arguments. */
export function loadSpawning(): void {
  load();
}

async function withConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LockError || error instanceof SystemWriteConflict) throw new WriteConflict(error.message);
    throw error;
  }
}
