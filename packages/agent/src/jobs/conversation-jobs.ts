// The jobs of a conversation as its model sees them: what the tool `job` does with them, and the message that says how one has
// ended, which the model gets with its next step. Times and texts are for the model; `/jobs` shows the same jobs to the user.

import { closeSync, fstatSync, readlinkSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import type { ExecuteOptions, Job, JobKeeper } from "@ikigai/core";
import { Jobs } from "@ikigai/core/internal";
import { type JobParams, type JobResult, maxQuestionMs } from "@ikigai/protocol";
import type { Conversation } from "@ikigai/session";
import { descriptorPath, openRegularFile, TerminalText } from "@ikigai/system";
import { type BackgroundJob, backgroundJobs, endJob, isJobRunning } from "./background-jobs.ts";

/** How much new output the model gets at once, in bytes: of a longer one the end. */
const maxOutputBytes = 16_384;

/** The end of the output in the message about the end of a job, in lines and bytes. */
const lastLines = 20;
const lastBytes = 4_096;

/** How long `wait` waits unless it says otherwise, in milliseconds. */
const usualWaitMs = 60_000;

/** How often new output is looked for while a call waits for it, in milliseconds. */
const lookMs = 200;

/** How long a regular expression of a model may take, in milliseconds. */
const matchMs = 100;

/** The longest title in a message, in characters. */
const maxTitle = 80;

/** How often a timer fires that only keeps the process alive while something waits for a job, in milliseconds. */
const keepAliveMs = 60_000;

/** The jobs of a conversation. */
export class ConversationJobs {
  readonly jobs: Jobs;
  /** The jobs that the user has started. */
  readonly #ofUser = new WeakSet<Job>();
  /** How much of a job's log the model has seen, in bytes. */
  readonly #seen = new WeakMap<Job, number>();
  /** The jobs whose end the model knows. */
  readonly #told = new WeakSet<Job>();
  /** The jobs that the model has waited for in vain. */
  readonly #awaited = new Set<Job>();
  #woken: () => void = () => {};

  /** @param firstNumber as for `Jobs`. */
  constructor(firstNumber: () => number) {
    this.jobs = new Jobs(firstNumber);
    this.jobs.whenEnded((job) => {
      this.#awaited.delete(job);
      if (!this.#ofUser.has(job)) this.#woken();
    });
  }

  /** What keeps the jobs that the user starts: their end does not wake the model. */
  get ofUser(): JobKeeper {
    const { jobs } = this;
    return {
      hasRoomFor: (callId) => jobs.hasRoomFor(callId),
      reserve: (callId) => jobs.reserve(callId),
      take: (process, facts) => {
        const job = jobs.take(process, facts);
        this.#ofUser.add(job);
        return job;
      },
    };
  }

  /** Calls this when there is something for the model, from now on. */
  whenNews(woken: () => void): void {
    this.#woken = woken;
  }

  /** Whether the model gets to know when this process ends. */
  isForModel(pid: number): boolean {
    return this.jobs.list().some((job) => job.pid === pid && !this.#ofUser.has(job));
  }

  /** The background commands of a conversation; see `backgroundJobs`. @throws the system's error if the session cannot be read. */
  of(conversation: Pick<Conversation, "id" | "log">): BackgroundJob[] {
    return backgroundJobs(conversation, this.jobs);
  }

  /** Ends a job and everything in its process group; returns whether it has ended. */
  end(job: BackgroundJob): Promise<boolean> {
    return endJob(job, this.jobs);
  }

  /** Whether a job still runs, which another process may have started. */
  isRunning(job: Pick<BackgroundJob, "pid" | "startedAt">): boolean {
    return isJobRunning(job);
  }

  /** Whether a job of this session has ended that the model does not know of. */
  hasNews(session: string): boolean {
    return this.#untold(session).length > 0;
  }

  /** Removes and returns what the model does not know yet, as messages. */
  takeNews(session: string): string[] {
    const jobs = this.#untold(session);
    for (const job of jobs) this.#told.add(job);
    return jobs.map(endMessage);
  }

  #untold(session: string): readonly Job[] {
    return this.jobs.list().filter((job) => job.sessionId === session && job.end && !this.#told.has(job));
  }

  /** The jobs of a session that the model waits for. */
  awaited(session: string): readonly Job[] {
    return [...this.#awaited].filter(({ sessionId }) => sessionId === session);
  }

  /** Waits until one of the jobs that the model waits for has ended; immediately if the model waits for nothing. */
  async untilAwaited(session: string, signal: AbortSignal): Promise<void> {
    const awaited = this.awaited(session);
    if (awaited.length === 0 || this.hasNews(session)) return;
    await firstOf(
      awaited.map(({ ended }) => ended),
      undefined,
      signal,
    );
  }

  /** Carries out a request of the tool `job`. Never rejects. */
  async carryOut(
    { action, job: number, ...params }: JobParams,
    session: string,
    signal: AbortSignal,
  ): Promise<JobResult> {
    const own = this.jobs.list().filter(({ sessionId }) => sessionId === session);
    if (action === "list") return { jobs: own.map(listed) };
    const job = own.find((one) => one.number === number);
    if (!job) return refusal("NOT_FOUND", `There is no job ${number}.${namesOf(own)}`);
    switch (action) {
      case "output":
        return this.#state(job);
      case "wait":
        return this.#wait(job, params, signal);
      case "stop":
        this.#told.add(job);
        await job.stop();
        return this.#state(job);
      case "input":
        if (job.end) return refusal("JOB_ENDED", `Job ${job.number} has ended: ${endOf(job)}.`);
        if (!job.write(params.line ?? "")) return refusal("NO_INPUT", noInput);
        return { job: job.number, state: "running" };
      default:
        return action satisfies never;
    }
  }

  async #wait(job: Job, { timeoutMs = usualWaitMs, until }: Omit<JobParams, "action">, signal: AbortSignal) {
    const pattern = until === undefined ? undefined : compiled(until);
    if (typeof pattern === "string") return refusal("INVALID_ARG", pattern);
    const untilMs = performance.now() + Math.min(timeoutMs, maxQuestionMs);
    const found = { line: undefined as string | undefined };
    while (!job.end && !signal.aborted && performance.now() < untilMs) {
      found.line = pattern && matchIn(this.#unseen(job).text, pattern);
      if (found.line !== undefined) break;
      const leftMs = Math.max(0, untilMs - performance.now());
      await firstOf([job.ended], pattern ? Math.min(lookMs, leftMs) : leftMs, signal);
    }
    // An interrupted call tells the model nothing.
    if (signal.aborted) return {};
    if (!job.end && found.line === undefined) this.#awaited.add(job);
    else this.#awaited.delete(job);
    return { ...this.#state(job), ...(found.line !== undefined && { matched: found.line }) };
  }

  /** What the model does not know of a job yet: its state, and what it has printed. */
  #state(job: Job): JobResult {
    const { text, size, bytes } = this.#unseen(job);
    this.#seen.set(job, size);
    if (job.end) this.#told.add(job);
    const { end, log } = job;
    const leftOut = bytes - Buffer.byteLength(text);
    return {
      job: job.number,
      state: end ? "ended" : "running",
      ...(end && { exit_code: end.exitCode }),
      ran_s: Math.round((end?.ranMs ?? Date.now() - job.startedAt.getTime()) / 1_000),
      output: plain(text),
      ...(leftOut > 0 && { truncated: true, hint: `${leftOut} bytes before this are only in the log.` }),
      ...(log !== undefined && { log }),
    };
  }

  #unseen(job: Job): Part {
    return readEnd(job, maxOutputBytes, this.#seen.get(job) ?? job.answeredBytes);
  }
}

const noInput =
  'This job takes no input: a command does that was started with "background": true, unless it has a process of its own.';

function listed(job: Job): JobResult {
  const { number, title, startedAt, end, log } = job;
  const ranMs = end?.ranMs ?? Date.now() - startedAt.getTime();
  const state = end ? `ended: ${endOf(job)}` : "running";
  return { job: number, command: shortened(title), state, ran_s: Math.round(ranMs / 1_000), ...(log && { log }) };
}

function namesOf(jobs: readonly Job[]): string {
  const numbers = jobs.map(({ number }) => number).join(", ");
  return numbers === "" ? " No call has left one." : ` The jobs: ${numbers}.`;
}

function refusal(code: string, message: string): JobResult {
  return { error: message, error_code: code };
}

/** The message about the end of a job, for the model. */
function endMessage(job: Job): string {
  const end = plain(readEnd(job, lastBytes).text).split("\n").slice(-lastLines).join("\n");
  const head = `[ikigai] job ${job.number} (${shortened(job.title)}) ended: ${endOf(job)}`;
  const log = job.log === undefined ? "" : `\nAll of its output: ${job.log}`;
  return end === "" ? `${head}, without output.${log}` : `${head}. Its last lines:\n${end}${log}`;
}

function endOf({ end }: Job): string {
  return end ? `exit ${end.exitCode} after ${time(end.ranMs)}` : "";
}

function time(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function shortened(title: string): string {
  const [line = ""] = title.split("\n");
  return line.length < title.length || line.length > maxTitle ? `${line.slice(0, maxTitle)}…` : line;
}

/** A part of a log. */
interface Part {
  readonly text: string;
  /** How many bytes there are from where it was to begin, also those left out. */
  readonly bytes: number;
  /** The size of the log. */
  readonly size: number;
}

/** Reads the end of a log, from this byte on. A command in the sandbox could put a link in its place: none is followed out of it. */
function readEnd({ logFile, isInSandbox }: Job, maxBytes: number, fromByte = 0): Part {
  const none = { text: "", bytes: 0, size: fromByte };
  let fd: number | undefined;
  try {
    fd = logFile === undefined ? undefined : openRegularFile(logFile);
    if (fd === undefined) return none;
    const opened = descriptorPath(fd);
    // Its directory is one that the command could change, too.
    if (isInSandbox && opened !== undefined && readlinkSync(opened) !== logFile) return none;
    const { size } = fstatSync(fd);
    const bytes = Math.max(0, size - fromByte);
    const buffer = Buffer.alloc(Math.min(bytes, maxBytes));
    const length = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    const text = buffer.toString("utf8", 0, length).replace(/^\uFFFD+/, "");
    return { text, bytes, size };
  } catch {
    return none;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The text as a terminal shows it: a log that is not from bash may have colours. */
function plain(text: string): string {
  const terminal = new TerminalText();
  return `${terminal.push(text)}${terminal.end()}`.replace(/\n$/, "");
}

/** Returns what is wrong with a regular expression instead: a sentence. */
function compiled(until: string): RegExp | string {
  try {
    return new RegExp(until, "m");
  } catch (error) {
    return `"until" is no regular expression of JavaScript: ${(error as Error).message}.`;
  }
}

/** Returns the line that matches. One that takes too long matches nothing. */
function matchIn(text: string, pattern: RegExp): string | undefined {
  const shown = plain(text);
  try {
    const at: unknown = runInNewContext("shown.search(pattern)", { shown, pattern }, { timeout: matchMs });
    if (typeof at !== "number" || at < 0) return undefined;
    const end = shown.indexOf("\n", at);
    return shown.slice(shown.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end);
  } catch {
    return undefined;
  }
}

/** Waits for the first of these, the time, or the signal. Keeps the process alive meanwhile. */
async function firstOf(
  promises: readonly Promise<unknown>[],
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  signal.addEventListener("abort", stop);
  const alive = setInterval(() => {}, keepAliveMs);
  const aborted = new Promise<void>((settle) => over.signal.addEventListener("abort", () => settle()));
  const timed = timeoutMs === undefined ? [] : [sleep(timeoutMs, undefined, { signal: over.signal }).catch(() => {})];
  await Promise.race([...promises, ...timed, aborted]);
  signal.removeEventListener("abort", stop);
  over.abort();
  clearInterval(alive);
}

/** The jobs of a call, if its conversation keeps them. */
export function jobsFor(jobs: ConversationJobs | undefined): Pick<ExecuteOptions, "jobs"> {
  return jobs ? { jobs: jobs.jobs } : {};
}
