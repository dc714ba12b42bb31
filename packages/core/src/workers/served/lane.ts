// The processes of one tool that answer calls one after the other, and the calls that wait for one: when another process is started,
// when one is ended, and when the tool gets none any more.

import type { Command } from "@ikigai/sandbox";
import { servedKey } from "../reuse.ts";
import { ServedProcess, type ServedState } from "./process.ts";

/** How long a process waits for its next call, in milliseconds: longer than a model takes, shorter than a person's break. */
const maxIdleMs = 60_000;

/** How many processes wait for a call. */
const maxKept = 2;

/**
 * How long a process has to get ready, in milliseconds; then the call is made without it. On a loaded machine one has more time
 * that was busy at one of several looks.
 */
const readyMs = 2_000;
const busyReadyMs = 20_000;
const looks = 5;
const lookMs = 100;

/**
 * How long a call waits for a process at work before another is started, in milliseconds: most calls take less. One that has
 * answered only cleans up, which takes less than a start.
 */
const patienceMs = 5;
const cleaningPatienceMs = 50;

/** How often a tool's processes may fail until each call gets a process of its own. */
const maxFailures = 2;

/** A process, and what must be equal for a call to use it. */
interface Member {
  readonly key: string;
  readonly process: ServedProcess;
  /** Whether it ends after its call. */
  isRetired: boolean;
}

/** A call that waits for a process. */
interface Waiter {
  readonly key: string;
  /** Starts a process unless enough are starting. */
  readonly start: () => void;
  readonly give: (process: ServedProcess | undefined) => void;
}

/** The processes of one tool that answer several calls, and the calls that wait for one. */
export class ServedLane {
  /** How many calls have been announced and not made yet. */
  expected = 0;
  readonly #makeRoom: () => boolean;
  #members: Member[] = [];
  #waiters: Waiter[] = [];
  #failures = 0;

  /** @param makeRoom returns whether one more process may be started. */
  constructor(makeRoom: () => boolean) {
    this.#makeRoom = makeRoom;
  }

  /** The processes. */
  get processes(): readonly ServedProcess[] {
    return this.#members.map(({ process }) => process);
  }

  /** Whether its processes have failed so often that each call gets a process of its own. */
  get hasGivenUp(): boolean {
    return this.#failures >= maxFailures;
  }

  /** Whether there are processes for the announced calls, at least one, up to the number that is kept. */
  get isPrepared(): boolean {
    return this.#count("starting", "waiting", "cleaning") >= Math.min(Math.max(this.expected, 1), maxKept);
  }

  /** Starts processes until it is prepared. */
  prepare(command: Command, toolPath: string): void {
    const key = this.#keyOf(command, toolPath);
    while (!this.isPrepared && this.#start(command, key));
  }

  /** Takes a process for a call; `undefined` if none gets ready in time or the signal aborts. */
  async take(command: Command, toolPath: string, signal?: AbortSignal): Promise<ServedProcess | undefined> {
    const key = this.#keyOf(command, toolPath);
    const sinceMs = performance.now();
    while (!this.hasGivenUp && !signal?.aborted) {
      const waiting = this.#members.find((member) => member.process.state === "waiting" && member.key === key)?.process;
      waiting?.take();
      const process = waiting ?? (await this.#untilGiven(command, key, sinceMs, signal));
      if (process === undefined || (await process.isUsable())) return process;
    }
    return undefined;
  }

  /** Ends the processes that have waited or taken too long; all that wait if memory is scarce. */
  check(isMemoryScarce: boolean): void {
    const nowMs = performance.now();
    for (const { process } of [...this.#members]) {
      const ageMs = nowMs - process.sinceMs;
      if (process.state === "waiting" && (ageMs > maxIdleMs || isMemoryScarce)) process.end();
      if (process.state === "starting" && ageMs > (process.isBusy ? busyReadyMs : readyMs)) process.end(true);
      if (process.state === "cleaning" && ageMs > readyMs) process.end();
    }
  }

  /** Ends all processes; those with a call, after it. */
  retire(): void {
    for (const member of [...this.#members]) {
      if (member.process.state === "taken") member.isRetired = true;
      else member.process.end();
    }
  }

  /** Returns the key of a process that this command starts, and ends those with another. */
  #keyOf(command: Command, toolPath: string): string {
    const key = servedKey(command, toolPath);
    for (const member of [...this.#members]) {
      if (member.key !== key && member.process.state !== "taken") member.process.end();
    }
    return key;
  }

  #count(...states: readonly ServedState[]): number {
    return this.#members.filter(({ process }) => states.includes(process.state)).length;
  }

  #start(command: Command, key: string): boolean {
    if (!this.#makeRoom()) return false;
    const process = new ServedProcess(command, () => this.#changed(member));
    const member: Member = { key, process, isRetired: false };
    this.#members.push(member);
    return true;
  }

  #changed(member: Member): void {
    const { process, key, isRetired } = member;
    if (process.state === "over") {
      this.#remove(member);
      return;
    }
    const waiter = isRetired ? undefined : this.#waiters.find((one) => one.key === key);
    if (waiter) {
      process.take();
      waiter.give(process);
    } else if (isRetired || this.#count("waiting") > maxKept) process.end();
  }

  #remove(member: Member): void {
    this.#members = this.#members.filter((one) => one !== member);
    if (member.process.hasFailed) this.#failures++;
    // If it never got ready, no other one will: the call is made without.
    const isHopeless = this.hasGivenUp || !member.process.hasWaited;
    const alone = this.#waiters.slice(this.hasGivenUp ? 0 : this.processes.length);
    for (const waiter of alone) {
      if (isHopeless) waiter.give(undefined);
      else waiter.start();
    }
  }

  #untilGiven(
    command: Command,
    key: string,
    sinceMs: number,
    signal: AbortSignal | undefined,
  ): Promise<ServedProcess | undefined> {
    return new Promise((settle) => {
      const start = () => {
        if (this.#count("starting") >= this.#waiters.length) return;
        if (!this.#start(command, key)) waiter.give(undefined);
      };
      const giveUp = () => {
        this.check(false);
        waiter.give(undefined);
      };
      const waiter: Waiter = {
        key,
        start,
        give: (process) => {
          for (const timer of [patience, late]) clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          this.#waiters = this.#waiters.filter((one) => one !== waiter);
          settle(process);
        },
      };
      this.#waiters.push(waiter);
      let idleLooks = 0;
      const look = () => {
        const isBusy = this.#members.some(({ process }) => process.state === "starting" && process.isBusy);
        idleLooks = isBusy ? 0 : idleLooks + 1;
        if (idleLooks === looks || performance.now() - sinceMs > busyReadyMs) giveUp();
        else late = setTimeout(look, lookMs);
      };
      let late = setTimeout(look, sinceMs + readyMs - performance.now());
      const isAtWork = this.#count("taken") > 0;
      const delayMs = this.#count("cleaning") > 0 ? cleaningPatienceMs : isAtWork ? patienceMs : 0;
      const patience = setTimeout(start, delayMs);
      signal?.addEventListener("abort", giveUp);
    });
  }
}
