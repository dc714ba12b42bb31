import type { LockEntry } from "./lock-entry.ts";
import { parseHolder, stateOf } from "./lock-holder.ts";

/**
 * How long a lock whose holder cannot be looked up must have been seen without a refresh to be taken over, in milliseconds:
 * six refreshes, and less than anybody's patience.
 */
const maxQuietMs = 3_000;

/** How old the last refresh of such a lock may be, in milliseconds, for a process that has not watched it. */
const maxAgeMs = 60_000;

/**
 * How much one look adds at most, in milliseconds. A machine that sleeps, or is too busy to let us look, is too busy for the
 * holder as well.
 */
const maxStepMs = 100;

/** What a waiting process has seen of the lock it waits for. */
export class LockWatch {
  #entry: LockEntry | undefined;
  #heldMs = 0;
  #quietMs = 0;
  #lastLookMs = performance.now();

  /** How long the present holder has had it, as far as we have seen, in milliseconds. */
  get heldMs(): number {
    return this.#heldMs;
  }

  /** The holder's process ID, if we know that it is that process. */
  get pid(): number | undefined {
    const { text = "", touchedAtMs = 0 } = this.#entry ?? {};
    const holder = parseHolder(text);
    return stateOf(holder, touchedAtMs) === "running" ? holder?.pid : undefined;
  }

  /** Takes note of what is in the lock's place; says whether its holder is gone. */
  isAbandoned(entry: LockEntry): boolean {
    const nowMs = performance.now();
    const stepMs = Math.min(nowMs - this.#lastLookMs, maxStepMs);
    this.#lastLookMs = nowMs;
    this.#heldMs = entry.text === this.#entry?.text ? this.#heldMs + stepMs : 0;
    this.#quietMs = entry.stamp === this.#entry?.stamp ? this.#quietMs + stepMs : 0;
    this.#entry = entry;
    const { text, touchedAtMs } = entry;
    const state = stateOf(parseHolder(text), touchedAtMs);
    // A time in the future is a clock that was set back.
    return state === "hidden"
      ? this.#quietMs > maxQuietMs || Math.abs(Date.now() - touchedAtMs) > maxAgeMs
      : state === "ended";
  }
}
