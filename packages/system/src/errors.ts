// The expected failures that this package throws, each with a code.

/** Why a lock could not be taken or kept: another process has it, something else is at its path, or it was taken over. */
type LockErrorCode = "held" | "blocked" | "lost";

/** A lock could not be taken or kept. The message says why, and what to do. */
export class LockError extends Error {
  override readonly name = "LockError";
  readonly code: LockErrorCode;
  /** The lock's path. */
  readonly path: string;

  constructor(code: LockErrorCode, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** @param pid the holder's process id, if it is visible from here. */
export function lockHeld(path: string, patienceMs: number, pid: number | undefined): LockError {
  const holder = pid === undefined ? "Another process" : `Process ${pid}`;
  const text = `${holder} has held the lock ${path} for ${patienceMs / 1_000} s. Try again when it is done.`;
  return new LockError("held", path, text);
}

/** The lock's path is occupied by something that is not a lock. */
export function lockBlocked(path: string, isDirectory: boolean): LockError {
  const what = isDirectory ? "a directory" : "a FIFO, socket or device";
  const remedy = isDirectory ? "Move it away." : `Remove it: rm ${path}`;
  return new LockError("blocked", path, `${path} is ${what}, but ikigai needs this path for a lock file. ${remedy}`);
}

/** Another program changed the file at the same time. The message is a hint for the model. */
export class WriteConflict extends Error {
  override readonly name = "WriteConflict";
  readonly code = "changed";
}
