import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { drainMs } from "@ikigai/protocol";
import { callMarks } from "../leftovers/call-marks.ts";
import { killLeftovers } from "../leftovers/kill-leftovers.ts";
import { forgetGroup } from "../leftovers/watchdog.ts";
import { killGroup, signalGroup } from "./process-group.ts";
import { isBusy, isExiting } from "./process-stat.ts";
import type { Exit, ToolProcess } from "./start-process.ts";
import { within } from "./within.ts";

/** Why a process is over: by itself, because it has said all it had to say, or because we ended it. */
export type Verdict = "exited" | "answered" | "timeout" | "cancelled" | "flooded";

/** How a process ended. */
export interface End {
  readonly verdict: Verdict;
  /** Missing when it was not waited for, or when not even SIGKILL has ended it: the system keeps it in a call to a device. */
  readonly exit: Exit | undefined;
  /** Whether it was over by itself and had left processes behind, which were killed. */
  readonly leftProcesses: boolean;
}

/** When a process is to be ended, and how it is found. */
export interface SettleOptions {
  readonly callId: string;
  readonly timeoutMs: number;
  /** How much longer it may take if it is busy when its time is up, rather than waiting for something, in milliseconds. */
  readonly busyMs?: number;
  /** How long it may take to end after SIGTERM, in milliseconds. */
  readonly graceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Settles when it has printed too much. */
  readonly flooded: Promise<void>;
  /** Settles, if ever, when it has given its answer and has nothing left to do. */
  readonly answered?: Promise<void> | undefined;
}

/** What floods has nothing worth waiting for: how long it may take to end after SIGTERM, in milliseconds. */
const floodGraceMs = 100;

/** How long we wait for a process that was killed, in milliseconds: one that waits for a dead disk may never go. */
const killedMs = 1_000;

/**
 * Waits until a process is over, ends it when it must be ended, and leaves nothing of it behind.
 *
 * The verdict is our own clock's: a process that ignores SIGTERM and then exits with 0 has timed out all the same.
 */
export async function untilSettled(tool: ToolProcess, options: SettleOptions): Promise<End> {
  const { through } = tool;
  const verdict = await untilOver(tool, options);
  const { exit, isDrained, leftInGroup } =
    verdict === "answered" ? endAnswered(tool) : await untilGone(tool, verdict, options);
  const leftElsewhere = await killLeftovers(callMarks(options.callId), tool.pid);
  // The last reports of progress may still be on their way; and after a blocked event loop the moment is over before what is
  // in the pipe has been looked at.
  if (tool.progress || !isDrained) await nextTurn();
  for (const stream of [tool.stdin, tool.stdout, tool.stderr, tool.progress]) stream?.destroy();
  forgetGroup(tool.pid);
  // What holds a sandbox together ends a moment after the tool, and takes with it whatever the tool has left.
  const hasLeft = through === undefined && (leftInGroup || leftElsewhere);
  // Of what we end, the last may be on their way still.
  const isOwnEnd = verdict === "exited" || verdict === "answered";
  return { verdict, exit, leftProcesses: isOwnEnd && (hasLeft || !isDrained) };
}

/** What is left to do when it is clear how a process ends. */
interface Rest extends Pick<End, "exit"> {
  readonly isDrained: boolean;
  readonly leftInGroup: boolean;
}

/** Taking itself down takes Node 3 ms: half of what a call costs. */
function endAnswered({ pid }: ToolProcess): Rest {
  signalGroup(pid, "SIGKILL");
  return { exit: undefined, isDrained: true, leftInGroup: false };
}

async function untilGone(tool: ToolProcess, verdict: Verdict, { graceMs }: SettleOptions): Promise<Rest> {
  if (verdict !== "exited") await endGroup(tool, verdict === "flooded" ? floodGraceMs : graceMs);
  const exit = await within(killedMs, tool.exited);
  const isDrained = await drain(tool, exit);
  return { exit, isDrained, leftInGroup: killGroup(tool.pid) };
}

async function untilOver({ pid, exited }: ToolProcess, options: SettleOptions): Promise<Verdict> {
  const { timeoutMs, busyMs = 0, signal, flooded, answered } = options;
  const clear = new AbortController();
  const interrupted = new Promise<Verdict>((settle) => {
    // After a suspended laptop or a blocked event loop the timer comes first and the news of the exit second: a turn of
    // the loop lets what has ended in time count as ended in time.
    const timeIsUp = () => setImmediate(settle, "timeout");
    let timer = setTimeout(() => {
      if (busyMs > 0 && isBusy(pid)) timer = setTimeout(timeIsUp, busyMs);
      else timeIsUp();
    }, timeoutMs);
    const cancel = () => settle("cancelled");
    signal?.addEventListener("abort", cancel, { signal: clear.signal });
    clear.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    void flooded.then(() => settle("flooded"));
    // The end of what is exiting already shows how it went.
    void answered?.then(() => isExiting(pid) || settle("answered"));
    if (signal?.aborted) cancel();
  });
  const verdict = await Promise.race([exited.then(() => "exited" as const), interrupted]);
  clear.abort();
  return verdict;
}

async function endGroup({ pid, exited, askToEnd }: ToolProcess, graceMs: number): Promise<void> {
  askToEnd();
  if ((await within(graceMs, exited)) === undefined) signalGroup(pid, "SIGKILL");
}

/**
 * Reads on until stdout is at its end, but no longer than a moment: a process left behind may hold it for ever. After a
 * failure stderr matters as much.
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
