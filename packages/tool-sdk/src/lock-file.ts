import { closeSync, lstatSync, openSync, readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeOnSignal, removeQuietly } from "./remove-on-signal.ts";
import { WriteConflict } from "./write-conflict.ts";

/** The right to replace a file, given up at the end of its `using` block. */
export interface FileLock extends Disposable {
  /** The file, which may not exist yet. */
  readonly target: string;
  /** Where this process gathers its next content. */
  readonly temporary: string;
}

/** How long to wait for another tool, in milliseconds: a replacement takes one, a busy disk some hundred. */
const maxWaitMs = 5_000;

/** How often to look whether the other tool is done, in milliseconds. */
const pollMs = 5;

/** How old a lock may get, in milliseconds. Then its holder is taken for dead, whoever has its process id by now. */
const maxAgeMs = 60_000;

/** How much of a file's name goes into the names beside it, in bytes: with what follows they stay under 255. */
const maxNameBytes = 200;

/**
 * Waits for its turn at a file. Two tools that change one file at once come one after the other; a tool that was killed
 * while it held the lock is noticed by its process id, and what it left is cleared away.
 *
 * The lock is a symbolic link beside the file whose target is the holder's process id: made and filled in one step.
 *
 * @throws WriteConflict when another tool still holds it after 5 seconds.
 * @throws the system's error when nothing can be made beside the file.
 */
export async function lockFile(target: string): Promise<FileLock> {
  const name = Buffer.from(basename(target)).subarray(0, maxNameBytes);
  const stem = `${dirname(target)}/.${name}.ikigai-`;
  const path = `${stem}lock`;
  await untilMade(path, stem);
  const guard = removeOnSignal(path);
  return {
    target,
    temporary: `${stem}${process.pid}`,
    [Symbol.dispose]() {
      removeQuietly(path);
      guard[Symbol.dispose]();
    },
  };
}

async function untilMade(path: string, stem: string): Promise<void> {
  const deadlineMs = performance.now() + maxWaitMs;
  while (!tryToMake(path)) {
    if (performance.now() > deadlineMs) throw new WriteConflict(`Another tool holds the lock ${path}.`);
    clearLeftBehind(path, stem);
    await new Promise((settle) => setTimeout(settle, pollMs));
  }
}

function tryToMake(path: string): boolean {
  try {
    symlinkSync(String(process.pid), path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    // FAT has no links. A file without content locks as well; only its age tells whether it was left behind.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    return tryToMakePlain(path);
  }
}

function tryToMakePlain(path: string): boolean {
  try {
    closeSync(openSync(path, "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a tool that was killed, and the half-written file it may have left. */
function clearLeftBehind(path: string, stem: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const pid = holderOf(path);
  if (Date.now() - stats.mtimeMs <= maxAgeMs && !(pid !== undefined && isDead(pid))) return;
  if (pid !== undefined) removeQuietly(`${stem}${pid}`);
  removeQuietly(path);
}

/** The holder's process id, if the lock tells it. */
function holderOf(path: string): number | undefined {
  try {
    return Number(readlinkSync(path)) || undefined;
  } catch {
    // A lock without content, or one that is gone by now.
    return undefined;
  }
}

function isDead(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
