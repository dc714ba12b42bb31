// How a call becomes a job: how long the host waits for its answer, whether the answer says so, and what the model gets.

import { resolve } from "node:path";
import { outsidePathOf } from "@ikigai/sandbox";
import { isInside, longestTimerMs } from "@ikigai/system";
import { type AnsweredProcess, leavesJobs, mayLeaveJob } from "../jobs/jobs.ts";
import { mayChange } from "../leftovers/host-sandbox.ts";
import { parseArguments } from "./arguments.ts";
import type { CallOptions, PreparedCall } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import type { OutputCollector } from "./output.ts";

/** How much longer than its time a call may take that becomes a job when its time is up, in milliseconds. */
const answeringMs = 2_000;

/** How long the host waits for a call, in milliseconds: one that may become a job answers when its time is up. */
export function waitingMs({ tool, limits, options }: PreparedCall): number {
  return Math.min(limits.timeoutMs + (mayLeaveJob(tool, options) ? answeringMs : 0), longestTimerMs);
}

/** Whether a call has answered that its process continues. */
export function isJobAnswer({ tool, options }: PreparedCall, { answer }: OutputCollector): boolean {
  return leavesJobs(tool, options) && answer?.ok === true && answer.value.job === true;
}

/** Makes the process of a call a job. Returns the outcome with the job's number and process. */
export function asJob(
  { tool, text, options }: PreparedCall,
  process: AnsweredProcess,
  outcome: Omit<Outcome, "durationMs">,
): Omit<Outcome, "durationMs"> {
  const { envelope } = outcome;
  if (!options.jobs || !envelope.tool_success) return outcome;
  const { result } = envelope;
  const { access } = tool.schema.ikigai ?? {};
  const command = access?.kind === "run-command" ? parseArguments(text)?.value[access.command] : undefined;
  const log = typeof result.log === "string" ? result.log : undefined;
  const { number, pid } = options.jobs.take(process, {
    sessionId: options.sessionId,
    title: typeof command === "string" ? command : tool.name,
    log,
    logFile: log === undefined ? undefined : logFileOf(log, process, options),
  });
  const numbered = { ...envelope, result: { ...result, job: number, pid } };
  return { ...outcome, envelope: numbered, json: JSON.stringify(numbered) };
}

/**
 * The log on this side of the sandbox, which has the session's directories where they are, and a temporary directory of its own. The host
 * reads no file for a tool that the tool may be unable to read: then `undefined`.
 */
function logFileOf(
  log: string,
  { tool }: AnsweredProcess,
  { overflowDir, sandbox, projectDir, cwd, env = process.env }: CallOptions,
): string | undefined {
  if (tool.through === undefined || sandbox === undefined) return log;
  const path = resolve(log);
  if (overflowDir !== undefined && isInside(path, overflowDir)) return path;
  const outside = outsidePathOf(path);
  return outside !== path || mayChange(path, sandbox, { projectDir, cwd, env }) ? outside : undefined;
}
