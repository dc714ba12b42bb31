// Waits until a process is over. In order: how it ended and when it must, the end after a verdict, the verdict (exited, answered,
// out of time, cancelled, flooded), and a clock that stands still while a tool waits for its host.

import type { Readable } from "node:stream";
import { drainMs } from "@ikigai/protocol";
import { signalGroup, within } from "@ikigai/system";
import { type Exit, isBusy, killGroup, type ToolProcess } from "./start-process.ts";

/** Why a process is over: it exited, it answered and is no longer needed, or we ended it. */
export type Verdict = "exited" | "answered" | "timeout" | "cancelled" | "flooded";

/** How a process ended. */
export interface Over {
  readonly verdict: Verdict;
  /** Missing if we did not wait for it, or if even SIGKILL has not ended it: it is stuck in a system call. */
  readonly exit: Exit | undefined;
  /** Whether all of its output has been read. */
  readonly isDrained: boolean;
  /** Whether other members of its group were still running, and were killed. */
  readonly leftInGroup: boolean;
}

/** When to end a process. */
export interface EndOptions {
  readonly timeoutMs: number;
  /** What measures it, if it can stand still. */
  readonly clock?: StoppedClock | undefined;
  /** Extra time if it is busy rather than waiting when its time is up, in milliseconds. */
  readonly busyMs?: number;
  /** Time between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Settles when it has printed too much. */
  readonly flooded: Promise<void>;
  /** Settles when it has answered completely and has nothing left to do. */
  readonly answered?: Promise<void> | undefined;
}

/** Time between SIGTERM and SIGKILL after a flood, in milliseconds: there is no output worth waiting for. */
const floodGraceMs = 100;

/** How long to wait for a killed process, in milliseconds: one stuck on a dead disk may never end. */
const killedMs = 1_000;

/**
 * Waits until a process is over after this verdict; ends it and its group if it must be ended.
 *
 * Our own clock decides: a process that ignores SIGTERM and then exits with 0 has still timed out.
 */
export async function untilOver(
  tool: ToolProcess,
  verdict: Verdict,
  options: Pick<EndOptions, "graceMs">,
): Promise<Over> {
  return { verdict, ...(verdict === "answered" ? endAnswered(tool) : await untilGone(tool, verdict, options)) };
}

/** Node's own shutdown takes 3 ms, half of what a call costs. */
function endAnswered({ pid }: ToolProcess): Omit<Over, "verdict"> {
  signalGroup(pid, "SIGKILL");
  return { exit: undefined, isDrained: true, leftInGroup: false };
}

/** Ends a process and its group after this verdict, unless it has exited, and waits until it is gone. */
export async function untilGone(
  tool: ToolProcess,
  verdict: Verdict,
  { graceMs }: Pick<EndOptions, "graceMs">,
): Promise<Omit<Over, "verdict">> {
  if (verdict !== "exited") await endGroup(tool, verdict === "flooded" ? floodGraceMs : graceMs);
  const exit = await within(killedMs, tool.exited);
  const isDrained = await drain(tool, exit);
  return { exit, isDrained, leftInGroup: killGroup(tool.pid) };
}

/** Waits until it is known how a call ends; does not end the process. */
export async function untilVerdict(
  { pid, exited }: Pick<ToolProcess, "pid" | "exited">,
  options: Omit<EndOptions, "graceMs">,
): Promise<Verdict> {
  const { timeoutMs, clock, busyMs = 0, signal, flooded, answered } = options;
  let isOver = false;
  let stopWaiting = () => {};
  const interrupted = new Promise<Verdict>((settle) => {
    // After a suspended laptop or a blocked event loop the timer fires before the exit event: waiting one turn lets a process
    // that ended in time count as such.
    const timeIsUp = () => setImmediate(settle, "timeout");
    const startedMs = performance.now();
    const check = () => {
      if (isOver) return;
      if (clock?.untilRuns) return void clock.untilRuns.then(check);
      const leftMs = clock ? timeoutMs + clock.stoppedMs - (performance.now() - startedMs) : 0;
      if (leftMs > 0) timer = setTimeout(check, leftMs);
      else if (busyMs > 0 && isBusy(pid)) timer = setTimeout(timeIsUp, busyMs);
      else timeIsUp();
    };
    let timer = setTimeout(check, timeoutMs);
    const cancel = () => settle("cancelled");
    signal?.addEventListener("abort", cancel);
    stopWaiting = () => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    void flooded.then(() => settle("flooded"));
    void answered?.then(() => settle("answered"));
    if (signal?.aborted) cancel();
  });
  const verdict = await Promise.race([exited.then(() => "exited" as const), interrupted]);
  stopWaiting();
  return verdict;
}

async function endGroup({ pid, exited, askToEnd }: ToolProcess, graceMs: number): Promise<void> {
  askToEnd();
  if ((await within(graceMs, exited)) === undefined) signalGroup(pid, "SIGKILL");
}

/**
 * Waits a moment for stdout to end: a process left behind may hold it open forever. After a failure also for stderr, which then
 * matters as much.
 */
async function drain({ stdout, stderr }: ToolProcess, exit: Exit | undefined): Promise<boolean> {
  const streams = exit?.code === 0 ? [stdout] : [stdout, stderr];
  return (await within(drainMs, Promise.all(streams.map(untilEnded)))) !== undefined;
}

function untilEnded(stream: Readable): Promise<void> {
  return new Promise((settle) => {
    if (stream.readableEnded || stream.destroyed) settle();
    for (const event of ["end", "close"]) stream.once(event, () => settle());
  });
}

/** The clock of a call: it can stand still, for instance while a person is asked. */
export class StoppedClock {
  #stoppedMs = 0;
  #stopped: { readonly sinceMs: number; readonly runs: Promise<void>; readonly start: () => void } | undefined;

  /** How long it has stood still, in milliseconds. */
  get stoppedMs(): number {
    return this.#stoppedMs + (this.#stopped ? performance.now() - this.#stopped.sinceMs : 0);
  }

  /** Settles when it runs; `undefined` if it does. */
  get untilRuns(): Promise<void> | undefined {
    return this.#stopped?.runs;
  }

  stop(): void {
    if (this.#stopped) return;
    let start = () => {};
    const runs = new Promise<void>((settle) => {
      start = settle;
    });
    this.#stopped = { sinceMs: performance.now(), runs, start };
  }

  start(): void {
    this.#stoppedMs = this.stoppedMs;
    this.#stopped?.start();
    this.#stopped = undefined;
  }
}
