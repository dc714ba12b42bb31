// The only lock of ikigai: a symlink that names the process that holds it. In order: taking one, waiting for it, taking over one whose
// holder is gone, releasing it; then what others may ask about a lock.

import { lutimesSync, renameSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LockError, lockHeld } from "../errors.ts";
import { removeOnSignal } from "../platform.ts";
import { type LockEntry, makeEntry, newLockText, parseHolder, readEntry, readText, stateOf } from "./lock-holder.ts";

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
    throw new LockError(
      "lost",
      this.path,
      "This process was suspended so long that another one took its lock. Try again.",
    );
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
    if (heldMs > patienceMs) throw lockHeld(this.path, patienceMs, pid);
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
    const text = readText(path);
    // A second look, since the read may have failed: the lock would stay after this process.
    if ((text === "" ? readText(path) : text) !== this.text) return;
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
const fileLockPatienceMs = 5_000;

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

/**
 * How long a lock with an invisible holder must go without a refresh, as watched by us, to be taken over, in milliseconds: six
 * refresh intervals, and less than any caller's patience.
 */
const maxQuietMs = 3_000;

/** Maximum age of such a lock's last refresh, in milliseconds, for a process that has not watched it. */
const maxAgeMs = 60_000;

/**
 * How much a single look counts at most, in milliseconds. While the
 * machine sleeps or is overloaded, the holder cannot refresh either.
 */
const maxStepMs = 100;

/** What a waiting process has observed of a lock. */
class LockWatch {
  #entry: LockEntry | undefined;
  #heldMs = 0;
  #quietMs = 0;
  #lastLookMs = performance.now();

  /** How long the present holder has had the lock, as far as observed, in milliseconds. */
  get heldMs(): number {
    return this.#heldMs;
  }

  /** The holder's process id, if the holder is known to be running. */
  get pid(): number | undefined {
    const { text = "", touchedAtMs = 0 } = this.#entry ?? {};
    const holder = parseHolder(text);
    return stateOf(holder, touchedAtMs) === "running" ? holder?.pid : undefined;
  }

  /** Records the current entry; returns whether its holder is gone. */
  isAbandoned(entry: LockEntry): boolean {
    const nowMs = performance.now();
    const stepMs = Math.min(nowMs - this.#lastLookMs, maxStepMs);
    this.#lastLookMs = nowMs;
    this.#heldMs = entry.text === this.#entry?.text ? this.#heldMs + stepMs : 0;
    this.#quietMs = entry.stamp === this.#entry?.stamp ? this.#quietMs + stepMs : 0;
    this.#entry = entry;
    const { text, touchedAtMs } = entry;
    const state = stateOf(parseHolder(text), touchedAtMs);
    // A time in the future means the clock was set back.
    return state === "hidden"
      ? this.#quietMs > maxQuietMs || Math.abs(Date.now() - touchedAtMs) > maxAgeMs
      : state === "ended";
  }
}

/** How long another process may hold the lock, in milliseconds: writing a small file takes a few. */
const patienceMs = 10_000;

/**
 * Runs `work` while holding the lock `PATH.lock`. Only for work that
 * takes milliseconds. The lock of a killed process is taken over.
 *
 * @throws LockError, which says who holds the lock or what to remove, after 10 seconds; the system's error if it cannot be
 * created; and whatever `work` throws.
 */
export async function withLock<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  const lock = new Lock(`${path}.lock`);
  try {
    await lock.take(patienceMs);
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Returns the state of a lock without waiting: `abandoned` if its holder has ended; `held` also if the path is occupied by
 * something that must be removed by hand.
 */
export function lockState(path: string): "free" | "held" | "abandoned" {
  try {
    const entry = readEntry(path);
    if (entry === undefined) return "free";
    return new LockWatch().isAbandoned(entry) ? "abandoned" : "held";
  } catch (error) {
    if (error instanceof LockError) return "held";
    // Without access to the directory no lock can be taken there either.
    return "free";
  }
}

/** Returns whether this is a lock of ours whose holder has ended. False for a file of any other content. Never throws. */
export function isLeftLock(path: string): boolean {
  try {
    const entry = readEntry(path);
    return entry !== undefined && parseHolder(entry.text) !== undefined && new LockWatch().isAbandoned(entry);
  } catch {
    return false;
  }
}

/** Returns the process that holds a lock, if it is known to be running; `undefined` otherwise. Never throws. */
export function lockHolder(path: string): number | undefined {
  try {
    const entry = readEntry(path);
    const watch = new LockWatch();
    return entry && !watch.isAbandoned(entry) ? watch.pid : undefined;
  } catch {
    return undefined;
  }
}
