/** A lock cannot be had. The message says why, and what to do. */
export class LockError extends Error {
  override readonly name: string = "LockError";
  /** The lock's path. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Another process holds it, and is not done. */
export class LockHeld extends LockError {
  override readonly name = "LockHeld";

  /** @param pid is the holder's process ID, if this process can see the holder. */
  constructor(path: string, patienceMs: number, pid: number | undefined) {
    const holder = pid === undefined ? "Another process" : `Process ${pid}`;
    super(path, `${holder} has held the lock ${path} for ${patienceMs / 1_000} s. Try again when it is done.`);
  }
}

/** Something is in its place that no ikigai has made. */
export class LockBlocked extends LockError {
  override readonly name = "LockBlocked";

  constructor(path: string, isDirectory: boolean) {
    const what = isDirectory ? "a directory" : "a FIFO, socket or device";
    const remedy = isDirectory ? "Move it away." : `Remove it: rm ${path}`;
    super(path, `${path} is ${what}, where a lock file has to be. ${remedy}`);
  }
}
