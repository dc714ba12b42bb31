import { resolve } from "node:path";
import { outsidePathOf } from "@ikigai/sandbox";
import { isInside } from "@ikigai/system";
import { mayChange } from "../place/sandbox.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { parseArguments } from "./call-arguments.ts";
import type { CallOptions } from "./call-options.ts";
import type { AnsweredProcess } from "./jobs.ts";
import type { Outcome } from "./outcome.ts";
import type { OutputCollector } from "./output-collector.ts";
import type { PreparedCall } from "./prepare-call.ts";

/*
 * How a call becomes a job: whether it may, how long the host then waits for its answer, whether the answer says so, and what the
 * model gets.
 */

/** How much longer than its time a call may take that becomes a job when its time is up, in milliseconds. */
const answeringMs = 2_000;

/** The longest delay of Node's timers, in milliseconds. */
const longestTimerMs = 2_147_483_647;

/** Whether a call of this tool may leave a job. */
export function mayLeaveJob(tool: RegisteredTool, options: JobOptions): boolean {
  return options.jobs?.hasRoomFor(options.callId) === true && leavesJobs(tool, options);
}

/** Keeps room for a call's job while the call runs. */
export function reserveJob(tool: RegisteredTool, options: CallOptions): Disposable | undefined {
  return leavesJobs(tool, options) ? options.jobs?.reserve(options.callId) : undefined;
}

/** The options that decide it. A call that is only expected has no ID yet. */
type JobOptions = Pick<CallOptions, "jobs" | "sandbox"> & Partial<Pick<CallOptions, "callId">>;

/** Whether calls of a tool leave jobs. On another machine no one would see their end; what git records is looked at when its call ends. */
function leavesJobs({ schema: { ikigai = {} }, launcher }: RegisteredTool, { jobs, sandbox }: JobOptions): boolean {
  const declares = ikigai.jobs === true && ikigai.service === undefined && !launcher;
  return declares && jobs !== undefined && sandbox?.git !== "recording";
}

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
