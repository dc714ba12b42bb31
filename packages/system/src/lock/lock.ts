import { lutimesSync, renameSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type LockEntry, makeEntry, readEntry, readText } from "./lock-entry.ts";
import { LockError, LockHeld } from "./lock-error.ts";
import { newLockText } from "./lock-holder.ts";
import { LockWatch } from "./lock-watch.ts";

/** The first pause between two looks, and the longest, in milliseconds. */
const pauseMs = { first: 5, longest: 40 };

/** How often a tryTake looks again when the lock changes hands before its eyes. */
const maxLooks = 16;

/**
 * A lock, as the README of this package says: a symbolic link that names its holder. For one use: made, taken, released. It may be released
 * at any time, also before it was taken: only what this lock has made is removed.
 */
export class Lock implements Disposable {
  readonly path: string;
  /** What it says: `parseHolder` reads it. */
  readonly text = newLockText();
  readonly #refreshMs: number;
  readonly #watches = new Map<string, LockWatch>();
  #refreshing: NodeJS.Timeout | undefined;
  #takenOverFrom: string | undefined;

  /** @param refreshMs is how often the lock is refreshed while it is held, in milliseconds. */
  constructor(path: string, { refreshMs = 500 } = {}) {
    this.path = path;
    this.#refreshMs = refreshMs;
  }

  /** What the lock said that was taken over, if its holder did not release it. */
  get takenOverFrom(): string | undefined {
    return this.#takenOverFrom;
  }

  /**
   * Takes the lock if nobody has it.
   *
   * @throws LockError when something is in its place that is no lock. The system's error when no lock can be made there.
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
   * @param patienceMs is how long one holder may keep it, in milliseconds.
   * @throws LockError when one holder had it for longer, or something is in its place. The system's error when no lock can be
   * made there.
   */
  async take(patienceMs: number): Promise<void> {
    for (const pauses = growingPauses(); !this.tryTake(); ) {
      this.#checkPatience(patienceMs);
      await sleep(pauses.next().value);
    }
  }

  /** Does what `take` does, and blocks meanwhile: for synchronous code that must not lose a change. */
  takeSync(patienceMs: number): void {
    for (const pauses = growingPauses(); !this.tryTake(); ) {
      this.#checkPatience(patienceMs);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauses.next().value);
    }
  }

  /** Whether this lock is held, and still ours: a process that was stopped for seconds may have lost it. */
  isOwn(): boolean {
    return readText(this.path) === this.text;
  }

  /**
   * Makes sure that the lock is still ours, right before the change it protects.
   *
   * @throws LockError when it is not.
   */
  check(): void {
    if (this.isOwn()) return;
    throw new LockError(this.path, "This process was stopped for so long that another one took its lock. Try again.");
  }

  /** Says that the holder is alive, for processes that cannot look it up. */
  refresh(): void {
    if (!this.isOwn()) return;
    try {
      const nowSeconds = Date.now() / 1_000;
      lutimesSync(this.path, nowSeconds, nowSeconds);
    } catch {
      // The next time; and whoever can look us up needs none.
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
   * Takes over the lock of a holder that is gone. Only one process at a time may: the one that has the right to, which is a
   * lock too. The right becomes the lock, so there is no moment without one.
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

  /** Removes what a process left that was killed while it took over this lock. */
  #clearRight(): void {
    const right = rightTo(this.path);
    try {
      const left = readEntry(right);
      if (left && this.#watch(right).isAbandoned(left) && this.#takeOver(right, left)) this.#removeOwn(right);
    } catch {
      // It is in nobody's way until the lock has to be taken over again.
    }
  }

  #removeOwn(path: string): void {
    if (readText(path) !== this.text) return;
    try {
      unlinkSync(path);
    } catch {
      // The disk is gone, or read-only by now; that we end shows that nobody has the lock.
    }
  }
}

function rightTo(path: string): string {
  return `${path}~`;
}

/** Short at first, since most locks are held for milliseconds; uneven, so that many do not look at the same moment. */
function* growingPauses(): Generator<number, never> {
  for (let longMs = pauseMs.first; ; longMs = Math.min(1.3 * longMs, pauseMs.longest)) {
    yield longMs * (0.5 + Math.random() / 2);
  }
}
