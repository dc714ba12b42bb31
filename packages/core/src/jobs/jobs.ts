// A job is the process of a call that continues after its answer, which says `"job": true`. The host gives it a number, keeps it in
// a list, and ends it with the conversation's tools at the latest. Last: which calls may become jobs.

import { lstatSync } from "node:fs";
import { graceMs } from "@ikigai/protocol";
import type { SandboxSettings } from "@ikigai/sandbox";
import { settle } from "../leftovers/settle.ts";
import { forgetGroup } from "../leftovers/watchdog.ts";
import type { ToolProcess } from "../process/start-process.ts";
import { untilGone } from "../process/until-over.ts";
import type { RegisteredTool } from "../registry/registry.ts";

/** How many jobs run at once. */
const maxJobs = 20;

/** How a job ended. */
export interface JobEnd {
  /** 128+N after signal N. */
  readonly exitCode: number;
  /** From the start of its call, in milliseconds. */
  readonly ranMs: number;
}

/** A process that continues after the answer to its call. */
export interface Job {
  /** As the model and the user know it, from 1. */
  readonly number: number;
  /** The conversation it belongs to. */
  readonly sessionId: string;
  /** The command line that it runs, or the tool's name. */
  readonly title: string;
  /** The process of its call, which leads a process group. */
  readonly pid: number;
  /** The file that it prints to, if its answer named one. */
  readonly log: string | undefined;
  /** The same file as it is named on this side of the sandbox. */
  readonly logFile: string | undefined;
  /** How much it had printed to that file when it was answered, in bytes. */
  readonly answeredBytes: number;
  /** Whether it ends with its sandbox, at the latest with this process. */
  readonly isInSandbox: boolean;
  /** When its call started. */
  readonly startedAt: Date;
  /** How it ended; `undefined` while it runs. */
  readonly end: JobEnd | undefined;
  /** Fulfilled when it has ended; never rejected. */
  readonly ended: Promise<JobEnd>;
  /** Asks it to end, and kills it two seconds later. */
  stop(): Promise<JobEnd>;
  /** Writes a line to it. Returns whether its process takes any. */
  write(line: string): boolean;
  /** Lets it outlive this process. In a sandbox it cannot. */
  letGo(): void;
  /** Whether it outlives this process. */
  readonly isLetGo: boolean;
}

/** What the call says about its job. */
type JobFacts = Pick<Job, "sessionId" | "title" | "log" | "logFile">;

/** The process of a call that has answered. */
export interface AnsweredProcess {
  readonly tool: ToolProcess;
  /** Kills what it has left elsewhere. Returns whether there was anything. */
  readonly killLeft: () => Promise<boolean>;
  readonly startedAt: Date;
  /** Whether it reads frames from stdin. */
  readonly takesInput: boolean;
}

/** Takes over the processes of calls. */
export type JobKeeper = Pick<Jobs, "hasRoomFor" | "reserve" | "take">;

/** The jobs of a host. */
export class Jobs {
  readonly #jobs: Job[] = [];
  /** The calls that may leave a job, by their IDs. */
  readonly #reserved = new Set<string>();
  readonly #firstNumber: () => number;
  #ended: (job: Job) => void = () => {};

  /** @param firstNumber the number of the first job, which is asked for when there is one. Default: 1. */
  constructor(firstNumber: () => number = () => 1) {
    this.#firstNumber = firstNumber;
  }

  /** Whether a call may leave a job: there is room for one more, or it has reserved it. Without an ID: the next call. */
  hasRoomFor(callId?: string): boolean {
    const isReserved = callId !== undefined && this.#reserved.has(callId);
    return isReserved || this.running().length + this.#reserved.size < maxJobs;
  }

  /** Whether the next call of a tool may leave one in this sandbox. */
  mayLeave(tool: RegisteredTool, sandbox: SandboxSettings | undefined): boolean {
    return mayLeaveJob(tool, { jobs: this, sandbox });
  }

  /** Keeps room for the job of a call until it is disposed of, if there is any: calls that run at once leave no more than fit. */
  reserve(callId: string): Disposable {
    if (this.hasRoomFor(callId)) this.#reserved.add(callId);
    return { [Symbol.dispose]: () => this.#reserved.delete(callId) };
  }

  /** All jobs, in the order in which they were started. */
  list(): readonly Job[] {
    return this.#jobs;
  }

  /** Those that have not ended. */
  running(): readonly Job[] {
    return this.#jobs.filter(({ end }) => end === undefined);
  }

  /** Calls this with each job that ends on its own, from now on. */
  whenEnded(ended: (job: Job) => void): void {
    this.#ended = ended;
  }

  /** Ends all jobs. */
  async close(): Promise<void> {
    this.#ended = () => {};
    await Promise.all(this.running().map((job) => (job.isLetGo ? undefined : job.stop())));
  }

  /** Takes over a process that continues after its answer. */
  take(process: AnsweredProcess, facts: JobFacts): Job {
    const number = (this.#jobs.at(-1)?.number ?? this.#firstNumber() - 1) + 1;
    const job = jobOf(process, { ...facts, number });
    this.#jobs.push(job);
    void job.ended.then(() => this.#ended(job));
    return job;
  }
}

function jobOf({ tool, killLeft, startedAt, takesInput }: AnsweredProcess, facts: JobFacts & Pick<Job, "number">): Job {
  const { pid, through } = tool;
  const isInSandbox = through !== undefined;
  const { logFile } = facts;
  let end: JobEnd | undefined;
  tool.holdHost(false);
  const over = async (how: "exited" | "cancelled") => {
    await settle(tool, killLeft, { verdict: how, ...(await untilGone(tool, how, { graceMs })) });
  };
  const ended = tool.exited.then(async ({ code }) => {
    end = { exitCode: code, ranMs: Date.now() - startedAt.getTime() };
    if (!isStopped) await over("exited").catch(() => {});
    return end;
  });
  let isStopped = false;
  let isLetGo = false;
  return {
    ...facts,
    answeredBytes: (logFile && lstatSync(logFile, { throwIfNoEntry: false })?.size) || 0,
    pid,
    isInSandbox,
    startedAt,
    ended,
    get end() {
      return end;
    },
    async stop() {
      if (end || isStopped) return ended;
      isStopped = true;
      await over("cancelled");
      return ended;
    },
    write(line) {
      if (!takesInput || !tool.stdin?.writable) return false;
      tool.stdin.write(`${JSON.stringify({ input: line })}\n`);
      return true;
    },
    letGo() {
      isLetGo = true;
      forgetGroup(pid);
    },
    get isLetGo() {
      return isLetGo;
    },
  };
}

/** Whether a call of this tool may leave a job. */
export function mayLeaveJob(tool: RegisteredTool, options: JobOptions): boolean {
  return options.jobs?.hasRoomFor(options.callId) === true && leavesJobs(tool, options);
}

/** Keeps room for a call's job while the call runs. */
export function reserveJob(
  tool: RegisteredTool,
  options: JobOptions & { readonly callId: string },
): Disposable | undefined {
  return leavesJobs(tool, options) ? options.jobs?.reserve(options.callId) : undefined;
}

/** The options that decide it. A call that is only expected has no ID yet. */
interface JobOptions {
  readonly jobs?: JobKeeper | undefined;
  readonly sandbox?: SandboxSettings | undefined;
  readonly callId?: string | undefined;
}

/** Whether calls of a tool leave jobs. On another machine no one would see their end; what git records is looked at when its call ends. */
export function leavesJobs(
  { schema: { ikigai = {} }, launcher }: RegisteredTool,
  { jobs, sandbox }: JobOptions,
): boolean {
  const declares = ikigai.jobs === true && ikigai.service === undefined && !launcher;
  return declares && jobs !== undefined && sandbox?.git !== "committing";
}
