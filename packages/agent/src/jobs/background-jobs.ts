// The background commands of a conversation, as its log and the host tell them, and how one is ended.

import { setTimeout } from "node:timers/promises";
import type { Job } from "@ikigai/core";
import type { Jobs } from "@ikigai/core/internal";
import { isSystemBash } from "@ikigai/permission";
import { type Conversation, readAllLines } from "@ikigai/session";
import { processStart, signalGroup } from "@ikigai/system";

/** A command that `bash` started in the background. */
export interface BackgroundJob {
  /** The process ID of its call, or of its shell, which leads a process group. */
  readonly pid: number;
  /** Its number; absent for one that ikigai does not keep as a job. */
  readonly number?: number;
  readonly command: string;
  /** The file it prints to. */
  readonly log: string;
  readonly startedAt: Date;
  /** Whether it runs in the sandbox, and so ends with ikigai. */
  readonly isInSandbox: boolean;
  readonly isRunning: boolean;
}

/**
 * Lists the background commands of a conversation, in the order they were started; last the jobs of `live` that it does not know,
 * which the user started apart from it.
 *
 * @throws the system's error if the session cannot be read.
 */
export function backgroundJobs({ id, log }: Pick<Conversation, "id" | "log">, live?: Jobs): BackgroundJob[] {
  const commands = new Map<string, string>();
  const held = new Set<string>();
  const jobs: BackgroundJob[] = [];
  // A rewind ends no process.
  for (const line of readAllLines(log)) {
    const isCall = line.type === "tool_call" || line.type === "typed_call";
    if (isCall && isSystemBash(line)) commands.set(line.id, commandIn(line.arguments));
    if (line.type === "tool_start" && (line.sandbox || line.launched)) held.add(line.id);
    if (line.type !== "tool_result" || !isSystemBash(line)) continue;
    const { pid, log: output, job } = resultIn(line.json);
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 2 || typeof output !== "string") continue;
    const startedAt = new Date(line.time);
    const known = live?.list().find((one) => one.pid === pid && one.number === job);
    // What a sandbox or another machine says is no process here: only the host knows of those.
    const isRunning = known ? known.end === undefined : !held.has(line.id) && isSameProcess(pid, startedAt);
    jobs.push({
      pid,
      ...(typeof job === "number" && { number: job }),
      command: commands.get(line.id) ?? "",
      log: known?.logFile ?? output,
      startedAt,
      isRunning,
      isInSandbox: known?.isInSandbox === true,
    });
  }
  const isUnknown = ({ sessionId, number }: Job) => sessionId === id && !jobs.some((job) => job.number === number);
  return [...jobs, ...(live?.list() ?? []).filter(isUnknown).map(fromLive)];
}

function fromLive({ pid, number, title, log, logFile, startedAt, isInSandbox, end }: Job): BackgroundJob {
  return {
    pid,
    number,
    command: title,
    log: logFile ?? log ?? "",
    startedAt,
    isInSandbox,
    isRunning: end === undefined,
  };
}

/** The number of the next job of a conversation: a rewind or a resume gives none twice. */
export function nextJobNumber(conversation: Conversation | undefined): number {
  try {
    const numbers = conversation ? backgroundJobs(conversation).map(({ number = 0 }) => number) : [];
    return Math.max(0, ...numbers) + 1;
  } catch {
    return 1;
  }
}

/** The time between SIGTERM and SIGKILL, in milliseconds. */
const graceMs = 2_000;
const pollMs = 50;

/** Ends a job and everything in its process group, in the sandbox at once; returns whether it has ended. */
export async function endJob({ pid, number, startedAt }: BackgroundJob, live?: Jobs): Promise<boolean> {
  const known = live?.running().find((one) => one.pid === pid && one.number === number);
  if (known) {
    await known.stop();
    return true;
  }
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isSameProcess(pid, startedAt)) return true;
    if (!signalGroup(pid, signal)) return !isSameProcess(pid, startedAt);
    for (let waitedMs = 0; waitedMs < graceMs; waitedMs += pollMs) {
      await setTimeout(pollMs);
      if (!isSameProcess(pid, startedAt)) return true;
    }
  }
  return false;
}

/** A process that started later than this after the result has reused the process ID. In milliseconds. */
const clockSlackMs = 2_000;

/** Whether a job still runs: its process ID may belong to another process by now. */
export function isJobRunning({ pid, startedAt }: Pick<BackgroundJob, "pid" | "startedAt">): boolean {
  return isSameProcess(pid, startedAt);
}

function isSameProcess(pid: number, startedAt: Date): boolean {
  const began = processStart(pid);
  return began !== undefined && began.getTime() <= startedAt.getTime() + clockSlackMs;
}

function commandIn(args: string): string {
  return textOr(() => (JSON.parse(args) as { command?: unknown }).command);
}

function resultIn(json: string): { pid?: unknown; log?: unknown; job?: unknown } {
  try {
    return (JSON.parse(json) as { result?: object }).result ?? {};
  } catch {
    return {};
  }
}

function textOr(read: () => unknown): string {
  try {
    const value = read();
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}
