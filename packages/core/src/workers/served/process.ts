// A process that answers several calls, one at a time: its start, each call with the cleaning up after it, and its end. Last: when
// it is replaced because it is worn.

import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { graceMs, type Progress } from "@ikigai/protocol";
import type { Command } from "@ikigai/sandbox";
import { type HeadAndTail, stopWatching, watchState, within } from "@ikigai/system";
import type { OutputCollector } from "../../call/output.ts";
import { type End, settle } from "../../leftovers/settle.ts";
import { killGuarded, startGuarded } from "../../leftovers/watchdog.ts";
import { readChunks, readProgress } from "../../process/read-output.ts";
import { isBusy, type ToolProcess } from "../../process/start-process.ts";
import { serveVariable } from "../../process/tool-command.ts";
import { untilGone, type Verdict } from "../../process/until-over.ts";
import { type Reply, ReplyReader } from "./replies.ts";
import { type CallSweep, SandboxSweep, ServedSweep, setActive } from "./sweep.ts";

/** How long to wait for a process that cleans up after a call, in milliseconds; a tool has 500 for it. */
const cleaningMs = 1_000;

/** A process that answers several calls, one at a time. */
export class ServedProcess {
  state: ServedState = "starting";
  /** When this state began, by `performance.now()`. */
  sinceMs = performance.now();
  /** Whether it ended unasked while it was starting, ready or working, or printed something else than replies. */
  hasFailed = false;
  /** Whether it has ever waited for a call. */
  hasWaited = false;

  readonly #changed: () => void;
  #running: { readonly tool: ToolProcess; readonly sweep: CallSweep; readonly cutProgress: () => void } | undefined;
  #calls = 0;
  #sink: CallSink | undefined;
  #hasReplied = false;
  #hasExited = false;
  /** Whether it has said that it is ready, since the last frame. */
  #isReady = false;
  /** Whether it has printed something else since it replied. */
  #hasStrayed = false;
  #onReply: (reply: Reply) => void = () => {};
  #onReady: () => void = () => {};

  readonly #reader = new ReplyReader({
    ready: () => this.#readied(),
    replied: (reply) => {
      this.#hasReplied = true;
      this.#onReply(reply);
    },
    strayed: () => this.#strayed(),
  });

  /** Starts it. @param changed called when it waits for a call, and when it is over. */
  constructor(command: Command, changed: () => void) {
    this.#changed = changed;
    setActive(this, true);
    const env = { ...command.env, [serveVariable]: "1" };
    void startGuarded({ ...command, env, hasProgress: true }).then((started) => {
      if ("failure" in started) this.#enter("over");
      else if (this.state === "over") killGuarded(started.process);
      else this.#listen(started.process);
    });
  }

  /** Whether it is computing rather than waiting, for instance while it starts on a loaded machine. Linux only. */
  get isBusy(): boolean {
    return this.#running !== undefined && isBusy(this.#running.tool.pid);
  }

  /** Takes it for a call, so that no other call gets it. */
  take(): void {
    this.#enter("taken");
  }

  /** Whether it can be given the call it was taken for. */
  async isUsable(): Promise<boolean> {
    // Exit and output events that queued while the host was busy arrive on the next turn; wait for two.
    await nextTurn();
    await nextTurn();
    const pid = this.#running?.sweep.toolPid ?? 0;
    // A stopped process would not answer, and a dead one may not have been reported yet.
    if (this.state === "taken" && /[TtZXx]/.test(watchState(pid) ?? "")) this.end();
    return this.state === "taken";
  }

  /** Gives it back without a call. */
  giveBack(): void {
    if (this.state === "taken") this.#wait();
  }

  /** Writes a call to a process that was taken; `undefined` if it is over. Then `release` or `stop` it. */
  call(callId: string, sink: CallSink, frame: (id: string) => string): CallInProcess | undefined {
    if (!this.#running || this.state !== "taken") return undefined;
    const { tool, sweep, cutProgress } = this.#running;
    this.#sink = sink;
    this.#isReady = this.#hasReplied = false;
    cutProgress();
    sweep.begin(callId);
    tool.holdHost(true);
    const reply = new Promise<Reply>((settle) => {
      this.#onReply = settle;
    });
    const id = `c${++this.#calls}`;
    this.#reader.expect({ id, output: sink.output });
    tool.stdin?.write(frame(id));
    return { tool, reply, sweep };
  }

  /** Lets go of a process that has replied. Returns whether the call had left processes running, which were killed. */
  async release({ sweep, tool }: CallInProcess): Promise<boolean> {
    let [isClear, hasLeft] = [sweep.isClear(), false];
    if (!isClear) {
      // What the tool itself ends is gone when it is ready.
      await within(cleaningMs, this.#untilReady());
      ({ found: hasLeft, isClear } = await sweep.kill());
    }
    this.#sink = undefined;
    tool.holdHost(false);
    if (!isClear || hasLeft || this.#hasStrayed || this.#hasExited) this.end(this.#hasStrayed);
    else if (this.#isReady) this.#wait();
    else this.#enter("cleaning");
    return hasLeft;
  }

  /** Hands over a process that continues as a job: it gets no more calls, and others end it. */
  handOver({ sweep }: CallInProcess): () => Promise<boolean> {
    this.#sink = undefined;
    this.#enter("over");
    return async () => (await sweep.kill()).found;
  }

  /** Ends it after this verdict on its call, and completes the call's output. @param isFault whether that was its own fault. */
  async stop({ tool, sweep }: CallInProcess, verdict: Verdict, isFault: () => boolean): Promise<End> {
    this.state = "over";
    const over = await untilGone(tool, verdict, { graceMs });
    this.#reader.end(verdict === "exited" && over.exit?.code === 0);
    const end = await settle(tool, async () => (await sweep.kill()).found, { verdict, ...over });
    this.#sink = undefined;
    this.hasFailed ||= isFault();
    this.#enter("over");
    return end;
  }

  /** Kills it, and everything that it has left elsewhere. @param hasFailed whether it does not do what it should. */
  end(hasFailed = this.hasFailed): void {
    if (this.state === "over") return;
    this.hasFailed = hasFailed;
    if (this.#running) killGuarded(this.#running.tool);
    this.#running?.sweep.close();
    this.#enter("over");
  }

  #listen(tool: ToolProcess): void {
    const sweep = tool.through ? new SandboxSweep(tool.pid) : new ServedSweep(this, tool.pid);
    const cutProgress = tool.progress
      ? readProgress(tool.progress, (report) => this.#sink?.onProgress?.(report))
      : () => {};
    this.#running = { tool, sweep, cutProgress };
    tool.holdHost(false);
    readChunks(tool.stdout, (chunk) => this.#reader.push(chunk));
    // What it says after its reply is not about the call.
    readChunks(tool.stderr, (chunk) => this.#hasReplied || this.#sink?.stderr.add(chunk));
    void tool.exited.then(() => {
      this.#hasExited = true;
      this.#onReady();
      if (!this.#sink) this.end(this.state !== "cleaning");
    });
  }

  #readied(): void {
    const isDue = this.#sink || this.state === "starting" || this.state === "cleaning";
    if (this.#isReady || !isDue) {
      this.#strayed();
      return;
    }
    this.#isReady = true;
    this.#onReady();
    if (!this.#sink) this.#wait();
  }

  /** It has printed what is neither a reply nor that it is ready: after a reply, the reply counts. */
  #strayed(): void {
    if (this.#sink) this.#hasStrayed = true;
    else this.end(true);
  }

  async #untilReady(): Promise<void> {
    if (this.#isReady || this.#hasExited) return;
    await new Promise<void>((settle) => {
      this.#onReady = settle;
    });
  }

  #wait(): void {
    if (isWorn(this.#running?.sweep.toolPid ?? 0, this.#calls)) this.end();
    else this.#enter("waiting");
  }

  #enter(state: ServedState): void {
    this.state = state;
    this.sinceMs = performance.now();
    this.hasWaited ||= state === "waiting";
    setActive(this, state !== "waiting" && state !== "over");
    if (state === "over" && this.#running) stopWatching(this.#running.sweep.toolPid);
    if (state === "waiting" || state === "over") this.#changed();
  }
}

/** Where the output of a call goes. */
export interface CallSink {
  readonly output: OutputCollector;
  readonly stderr: HeadAndTail;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** A call that a process is working on. */
export interface CallInProcess {
  readonly tool: ToolProcess;
  readonly reply: Promise<Reply>;
  readonly sweep: CallSweep;
}

/**
 * `cleaning`: it has answered and not said yet that it is ready. Only a process that waits is given a call.
 */
export type ServedState = "starting" | "waiting" | "taken" | "cleaning" | "over";

/** A process is replaced after this many calls: whatever a runtime piles up starts again from nothing. */
const maxCalls = 200;

/** A process with more resident memory, in KiB, is replaced. A tool in Node has 50 MiB. */
const maxResidentKib = 150 * 1_024;

/** How often the memory is read: after this many calls. */
const callsPerLook = 10;

/** Whether a process has answered so many calls, or has so much memory, that it is replaced. */
function isWorn(pid: number, calls: number): boolean {
  return calls >= maxCalls || (calls % callsPerLook === 0 && residentKib(pid) > maxResidentKib);
}

/** The resident memory of a process, in KiB; 0 if it is gone. */
function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
