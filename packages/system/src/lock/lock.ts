import { lutimesSync, renameSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type LockEntry, makeEntry, readEntry, readText } from "./lock-entry.ts";
import { LockError, LockHeld } from "./lock-error.ts";
import { newLockText } from "./lock-holder.ts";
import { LockWatch } from "./lock-watch.ts";

/** First and longest pause between attempts, in milliseconds. */
const pauseMs = { first: 5, longest: 40 };

/** How often `tryTake` tries again if the lock changes hands meanwhile. */
const maxLooks = 16;

/**
 * A lock file: a symbolic link that names its holder (see this package's README). For a single use: created, taken, released.
 * It may be released at any time, even before it was taken: only an own lock is removed.
 */
export class Lock implements Disposable {
  readonly path: string;
  /** The lock's text, in the format of `parseHolder`. */
  readonly text = newLockText();
  readonly #refreshMs: number;
  readonly #watches = new Map<string, LockWatch>();
  #refreshing: NodeJS.Timeout | undefined;
  #takenOverFrom: string | undefined;

  /** @param refreshMs interval of refreshes while the lock is held, in milliseconds. */
  constructor(path: string, { refreshMs = 500 } = {}) {
    this.path = path;
    this.#refreshMs = refreshMs;
  }

  /** The text of the lock that was taken over from a holder that did not release it. */
  get takenOverFrom(): string | undefined {
    return this.#takenOverFrom;
  }

  /**
   * Takes the lock if it is free.
   *
   * @throws LockError if its path is occupied. The system's error if no lock can be created there.
   */
  tryTake(): boolean {
    for (let look = 0; look < maxLooks; look++) {
      if (makeEntry(this.path, this.text)) return this.#taken();
      const entry = readEntry(this.path);
      if (!entry) continue;
      if (!this.#watch(this.path).isAbandoned(entry)) return false;
      if (!this.#takeOver(this.path, entry)) continue;
      this.#takenOverFrom = entry.text;
      return this.#taken();
    }
    return false;
  }

  /**
   * Waits for the lock.
   *
   * @param patienceMs how long a single holder may keep it, in milliseconds.
   * @throws LockError if a holder has kept it for longer, or its path is occupied. The system's error if no lock can be created
   * there.
   */
  async take(patienceMs: number): Promise<void> {
    for (const pauses = growingPauses(); !this.tryTake(); ) {
      this.#checkPatience(patienceMs);
      await sleep(pauses.next().value);
    }
  }

  /** Like `take`, but blocks: for synchronous code that must not lose a change. */
  takeSync(patienceMs: number): void {
    for (const pauses = growingPauses(); !this.tryTake(); ) {
      this.#checkPatience(patienceMs);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauses.next().value);
    }
  }

  /** Whether this lock is still ours: a process that was suspended may have lost it. */
  isOwn(): boolean {
    return readText(this.path) === this.text;
  }

  /**
   * Checks that the lock is still ours; call it right before the change it protects.
   *
   * @throws LockError if it is not.
   */
  check(): void {
    if (this.isOwn()) return;
    throw new LockError(this.path, "This process was suspended so long that another one took its lock. Try again.");
  }

  /** Updates the lock's time, for processes that cannot see whether the holder is running. */
  refresh(): void {
    if (!this.isOwn()) return;
    try {
      const nowSeconds = Date.now() / 1_000;
      lutimesSync(this.path, nowSeconds, nowSeconds);
    } catch {
      // The next refresh may succeed, and processes that can see us do not need it.
    }
  }

  release(): void {
    clearInterval(this.#refreshing);
    for (const path of [this.path, rightTo(this.path)]) this.#removeOwn(path);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #taken(): true {
    this.#refreshing = setInterval(() => this.refresh(), this.#refreshMs);
    this.#refreshing.unref();
    this.#clearRight();
    return true;
  }

  #watch(path: string): LockWatch {
    const watch = this.#watches.get(path) ?? new LockWatch();
    this.#watches.set(path, watch);
    return watch;
  }

  #checkPatience(patienceMs: number): void {
    const { heldMs, pid } = this.#watch(this.path);
    if (heldMs > patienceMs) throw new LockHeld(this.path, patienceMs, pid);
  }

  /**
   * Takes over the lock of a holder that is gone. To do so a process must hold the lock's "right", which is a lock, too, so
   * only one process does. The right is renamed to the lock, so the path is never free in between.
   */
  #takeOver(path: string, abandoned: LockEntry): boolean {
    const right = rightTo(path);
    if (!makeEntry(right, this.text)) {
      const other = readEntry(right);
      if (!other || !this.#watch(right).isAbandoned(other) || !this.#takeOver(right, other)) return false;
    }
    try {
      const now = readEntry(path);
      if (now?.text !== abandoned.text || now.stamp !== abandoned.stamp) return false;
      renameSync(right, path);
      return true;
    } finally {
      this.#removeOwn(right);
    }
  }

  /** Removes the right of a process that was killed while taking over this lock. */
  #clearRight(): void {
    const right = rightTo(this.path);
    try {
      const left = readEntry(right);
      if (left && this.#watch(right).isAbandoned(left) && this.#takeOver(right, left)) this.#removeOwn(right);
    } catch {
      // Harmless until the lock has to be taken over again.
    }
  }

  #removeOwn(path: string): void {
    if (readText(path) !== this.text) return;
    try {
      unlinkSync(path);
    } catch {
      // The disk is gone or read-only: once this process has ended, the lock counts as abandoned.
    }
  }
}

function rightTo(path: string): string {
  return `${path}~`;
}

/** Short at first, since most locks are held for milliseconds; random, so that waiting processes do not try in step. */
function* growingPauses(): Generator<number, never> {
  for (let longMs = pauseMs.first; ; longMs = Math.min(1.3 * longMs, pauseMs.longest)) {
    yield longMs * (0.5 + Math.random() / 2);
  }
}
