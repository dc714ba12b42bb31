import type { Readable } from "node:stream";
import { drainMs } from "@ikigai/protocol";
import { signalGroup, within } from "@ikigai/system";
import { killGroup } from "./process-group.ts";
import { isBusy, isExiting } from "./process-stat.ts";
import type { Exit, ToolProcess } from "./start-process.ts";

/** Why a process is over: by itself, because it has said all it had to say, or because we ended it. */
export type Verdict = "exited" | "answered" | "timeout" | "cancelled" | "flooded";

/** How a process ended. */
export interface Over {
  readonly verdict: Verdict;
  /** Missing when it was not waited for, or when not even SIGKILL has ended it: the system keeps it in a call to a device. */
  readonly exit: Exit | undefined;
  /** Whether everything that it printed has been read. */
  readonly isDrained: boolean;
  /** Whether others of its group were still running, which were killed. */
  readonly leftInGroup: boolean;
}

/** When a process is to be ended. */
export interface EndOptions {
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
 * Waits until a process is over, and ends it and its group when it must be ended.
 *
 * The verdict is our own clock's: a process that ignores SIGTERM and then exits with 0 has still timed out.
 */
export async function untilOver(tool: ToolProcess, options: EndOptions): Promise<Over> {
  const verdict = await untilVerdict(tool, options);
  return { verdict, ...(verdict === "answered" ? endAnswered(tool) : await untilGone(tool, verdict, options)) };
}

/** Taking itself down takes Node 3 ms: half of what a call costs. */
function endAnswered({ pid }: ToolProcess): Omit<Over, "verdict"> {
  signalGroup(pid, "SIGKILL");
  return { exit: undefined, isDrained: true, leftInGroup: false };
}

async function untilGone(tool: ToolProcess, verdict: Verdict, { graceMs }: EndOptions): Promise<Omit<Over, "verdict">> {
  if (verdict !== "exited") await endGroup(tool, verdict === "flooded" ? floodGraceMs : graceMs);
  const exit = await within(killedMs, tool.exited);
  const isDrained = await drain(tool, exit);
  return { exit, isDrained, leftInGroup: killGroup(tool.pid) };
}

async function untilVerdict({ pid, exited }: ToolProcess, options: EndOptions): Promise<Verdict> {
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
    // If it is already exiting, its exit code says more.
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
