// The process of a service: its start, which calls wait for, its calls, and how it ends.
import { graceMs, type Progress } from "@ikigai/protocol";
import type { Command } from "@ikigai/sandbox";
import { signalGroup, unlessAborted, within } from "@ikigai/system";
import type { OutputCollector } from "../../call/output.ts";
import { killLeftovers, killLeftoversNow, markedBy } from "../../leftovers/settle.ts";
import { forgetGroup, startGuarded } from "../../leftovers/watchdog.ts";
import { readChunks } from "../../process/read-output.ts";
import type { Exit, ToolProcess } from "../../process/start-process.ts";
import { serveVariable, serviceMarks } from "../../process/tool-command.ts";
import { untilGone, type Verdict } from "../../process/until-over.ts";
import type { ServiceLog } from "./log.ts";
import { type Cause, type OpenCall, OpenCalls, type Report, type ServiceEnd, whyStopped } from "./replies.ts";

/** Counter for the ids that mark what belongs to a service. */
let started = 0;

/** The process of a service. It works on several calls at once, and keeps its state until it ends. */
export class ServiceProcess {
  state: "starting" | "ready" | "ending" | "over" = "starting";
  readonly startedAt = new Date();
  readonly log: ServiceLog;
  /** How many calls it has been given. */
  callCount = 0;
  /** Settles when it is over. */
  readonly over: Promise<void>;

  readonly #marks = serviceMarks(String(++started));
  readonly #changed: (cause: Cause) => void;
  readonly #start: ServiceStart;
  #tool: ToolProcess | undefined;
  #cause: Cause | undefined;
  #line: Buffer = Buffer.alloc(0);
  #isClosing = false;
  #isRetired = false;
  /** The calls that wait for it or have it. */
  #users = 0;
  #settleOver: () => void = () => {};

  readonly #calls = new OpenCalls({
    ready: () => {
      if (this.state === "starting") this.state = "ready";
      this.#start.settle({ kind: "ready" });
    },
    failed: (answer) => {
      this.#start.settle({ kind: "failed", answer: Buffer.from(answer) });
      this.#cause ??= "asked";
      void this.end();
    },
    progressed: (_, progress) => this.#start.report(progress),
    strayed: (line) => this.stop("strayed", line),
    flooded: () => this.stop("flooded"),
  });

  /** Starts it. @param readyMs how long that may take, in milliseconds. @param changed called when it is over. */
  constructor(command: Command, log: ServiceLog, readyMs: number, changed: (cause: Cause) => void) {
    this.log = log;
    this.#changed = changed;
    this.#start = new ServiceStart(readyMs, () => this.stop("late"));
    this.over = new Promise((settle) => {
      this.#settleOver = settle;
    });
    const marks = Object.fromEntries(this.#marks.map((mark) => mark.split("=", 2)));
    const env = { ...command.env, ...marks, [serveVariable]: "1" };
    void startGuarded({ ...command, env, hasInput: true, hasProgress: false }).then((result) => {
      if ("process" in result) return this.#listen(result.process);
      this.#start.settle({ kind: "impossible", failure: result.failure });
      this.#cause ??= "asked";
      this.#finish(undefined);
    });
  }

  /** Its process id; `undefined` until it has been started. */
  get pid(): number | undefined {
    return this.#tool?.pid;
  }

  /** Whether it gets no more calls. */
  get isLeaving(): boolean {
    return this.#isRetired || this.state === "ending" || this.state === "over";
  }

  /** Begins to use it for a call. Then `leave` it. */
  enter(): void {
    this.#users++;
    this.#holdHost();
  }

  leave(): void {
    this.#users--;
    this.#holdHost();
    if (this.#isRetired) this.retire();
  }

  /** Ends it after the calls that use it. */
  retire(): void {
    this.#isRetired = true;
    if (this.#users === 0) void this.end();
  }

  /** Waits for what becomes of the start; `undefined` if the signal aborts first. @param report gets its progress. */
  untilStarted(report: Report, signal: AbortSignal | undefined): Promise<StartResult | undefined> {
    return this.#start.until(report, signal);
  }

  /** Writes a call; `undefined` if it is not ready. */
  call(output: OutputCollector, report: Report, frame: (id: string) => string): OpenCall | undefined {
    if (this.state !== "ready") return undefined;
    const call = this.#calls.open(output, report);
    this.callCount++;
    this.#tool?.stdin?.write(frame(call.id));
    return call;
  }

  /** Tells it that a call is no longer wanted. It may still answer, or have answered. */
  cancel(id: string): void {
    this.#tool?.stdin?.write(`${JSON.stringify({ cancel: id })}\n`);
  }

  /** Waits for this call no longer. */
  drop(id: string): void {
    this.#calls.drop(id);
  }

  /** Ends it because of what it printed. @param line the line that is not a reply. */
  stop(cause: "strayed" | "flooded" | "late", line?: Buffer): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#line = Buffer.from(line ?? "");
    this.#calls.ignoreRest();
    this.log.note(`stopped: ${whyStopped(cause, this.#line)}`);
    this.state = "ending";
    if (this.#tool) void this.#close(this.#tool, cause === "late" ? "timeout" : "flooded");
  }

  /** Closes its stdin, asks it to end 2 seconds later, and kills it after another 2. Settles when it is over. */
  async end(): Promise<void> {
    const tool = this.#tool;
    if (this.state !== "ending" && this.state !== "over") {
      this.state = "ending";
      this.#cause ??= "asked";
      this.#holdHost();
      tool?.stdin?.end();
      if (tool && (await within(graceMs, tool.exited)) === undefined) await this.#close(tool, "timeout");
    }
    return this.over;
  }

  /** Kills it at once, and what it has left elsewhere: the host is about to exit. */
  kill(): void {
    if (!this.#tool || this.state === "over") return;
    signalGroup(this.#tool.pid, "SIGKILL");
    killLeftoversNow(markedBy(this.#marks), this.#tool.pid);
  }

  #listen(tool: ToolProcess): void {
    this.#tool = tool;
    this.log.note(`process ${tool.pid} started`);
    readChunks(tool.stdout, (chunk) => this.#calls.push(chunk));
    readChunks(tool.stderr, (chunk) => this.log.add(chunk));
    this.#holdHost();
    void tool.exited.then(() => this.#close(tool, "exited"));
    // It was ended before it had been started.
    if (this.state === "ending") void this.#close(tool, "flooded");
  }

  async #close(tool: ToolProcess, verdict: Verdict): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.state = "ending";
    const { exit } = await untilGone(tool, verdict, { graceMs });
    // What it printed last counts.
    this.#calls.endOutput(exit?.code === 0);
    await killLeftovers(markedBy(this.#marks), tool.pid);
    for (const stream of [tool.stdin, tool.stdout, tool.stderr]) stream?.destroy();
    forgetGroup(tool.pid);
    this.log.note(`process ${tool.pid} ended, exit code ${exit?.code ?? "unknown"}`);
    this.#finish(exit);
  }

  #finish(exit: Exit | undefined): void {
    this.#cause ??= "exited";
    this.state = "over";
    const end: ServiceEnd = { kind: "ended", cause: this.#cause, exit, line: this.#line };
    this.#start.settle(end);
    this.#calls.end(end);
    this.#tool?.holdHost(false);
    this.log.close();
    this.#changed(end.cause);
    this.#settleOver();
  }

  /** The host waits for it while there is something to wait for. */
  #holdHost(): void {
    this.#tool?.holdHost(this.state === "ending" || this.#users > 0);
  }
}

/** What becomes of a start. `failed`: the service has answered the calls that wait for it. */
export type StartResult =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly answer: Buffer }
  | { readonly kind: "impossible"; readonly failure: string }
  | ServiceEnd;

/** The start of a service, and the calls that wait for it. */
class ServiceStart {
  readonly #waiting = new Set<Report>();
  readonly #result: Promise<StartResult>;
  #settle: (result: StartResult) => void = () => {};

  /**
   * @param limitMs how long it may take, in milliseconds
   * @param late called when it has taken longer
   */
  constructor(limitMs: number, late: () => void) {
    this.#result = new Promise((settle) => {
      this.#settle = settle;
    });
    const timer = setTimeout(late, limitMs).unref();
    void this.#result.then(() => clearTimeout(timer));
  }

  /** The first result counts. */
  settle(result: StartResult): void {
    this.#settle(result);
  }

  /** Passes on the progress of the start. */
  report(progress: Progress): void {
    for (const report of this.#waiting) report(progress);
  }

  /** Waits for the result; `undefined` if the signal aborts first, and the start continues. @param report gets its progress. */
  async until(report: Report, signal: AbortSignal | undefined): Promise<StartResult | undefined> {
    this.#waiting.add(report);
    try {
      return await unlessAborted(this.#result, signal);
    } finally {
      this.#waiting.delete(report);
    }
  }
}
