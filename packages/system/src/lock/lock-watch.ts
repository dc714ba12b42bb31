import type { LockEntry } from "./lock-entry.ts";
import { parseHolder, stateOf } from "./lock-holder.ts";

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
export class LockWatch {
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
