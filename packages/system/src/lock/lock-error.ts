/** A lock could not be taken. The message says why, and what to do. */
export class LockError extends Error {
  override readonly name: string = "LockError";
  /** The lock's path. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Another process holds the lock. */
export class LockHeld extends LockError {
  override readonly name = "LockHeld";

  /** @param pid the holder's process id, if it is visible from here. */
  constructor(path: string, patienceMs: number, pid: number | undefined) {
    const holder = pid === undefined ? "Another process" : `Process ${pid}`;
    super(path, `${holder} has held the lock ${path} for ${patienceMs / 1_000} s. Try again when it is done.`);
  }
}

/** The lock's path is occupied by something that is not a lock. */
export class LockBlocked extends LockError {
  override readonly name = "LockBlocked";

  constructor(path: string, isDirectory: boolean) {
    const what = isDirectory ? "a directory" : "a FIFO, socket or device";
    const remedy = isDirectory ? "Move it away." : `Remove it: rm ${path}`;
    super(path, `${path} is ${what}, but ikigai needs this path for a lock file. ${remedy}`);
  }
}
