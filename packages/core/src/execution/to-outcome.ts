import {
  type HostErrorCode,
  type JsonObject,
  maxFailureStreamBytes,
  maxOverflowBytes,
  maxTimeoutMs,
} from "@ikigai/protocol";
import type { Through } from "@ikigai/sandbox";
import { HeadAndTail } from "@ikigai/system";
import type { End } from "../leftovers/until-settled.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";
import { fitAnswer } from "./fit-answer.ts";
import { failureEnvelope, type Outcome, successJson } from "./outcome.ts";
import type { OutputCollector } from "./output-collector.ts";
import type { OverflowFile } from "./overflow-file.ts";
import { plainResult } from "./plain-call.ts";
import { startTrouble, withoutMarks } from "./start-trouble.ts";

/** Everything known about a call once its process is gone. */
export interface Remains {
  readonly tool: RegisteredTool;
  readonly limits: CallLimits;
  readonly end: End;
  readonly through: Through | undefined;
  readonly output: OutputCollector;
  readonly stderr: HeadAndTail;
  /** Arguments that a plain tool does not have. */
  readonly ignored?: readonly string[];
  /** Why its output does not count, even if it is an object: the end of a sentence. */
  readonly problem?: string | undefined;
  /** Why it refused the call, if it said so in a frame. */
  readonly refusal?: string;
  /** Whether it had answered completely when its time was over, but not exited. */
  readonly lingers?: boolean;
}

/** The part of the outcome that depends on how the call ended. */
type Result = Pick<Outcome, "envelope" | "json" | "overflowFile"> & { readonly note?: string };

const bytesPerMib = 1_048_576;

/** Turns the remains of a call into its outcome. */
export async function toOutcome(remains: Remains): Promise<Omit<Outcome, "durationMs">> {
  try {
    const { note, ...result } = (await failureOf(remains)) ?? (await answerOf(remains));
    const left = remains.end.leftProcesses ? ["It left processes running; they were killed."] : [];
    return { ...result, notes: note === undefined ? left : [...left, note] };
  } finally {
    remains.output.overflow?.close();
  }
}

/** The result for a tool that was ended or failed; `undefined` if its answer counts. */
async function failureOf(remains: Remains): Promise<Result | undefined> {
  const { end, output } = remains;
  switch (end.verdict) {
    case "timeout":
      return timedOut(remains);
    case "cancelled":
      return stopped(remains, "TOOL_CANCELLED", "was interrupted by the user");
    case "flooded":
      return flooded(remains);
    case "answered":
      return undefined;
    case "exited":
      if (output.isFlooded) return flooded(remains);
      if (remains.tool.plain)
        return (
          plainResult(end.exit, remains, remains.limits.maxOutputBytes) ?? (end.exit && crashed(remains, end.exit))
        );
      return end.exit && end.exit.code !== 0 ? crashed(remains, end.exit) : undefined;
    default:
      return end.verdict satisfies never;
  }
}

/** The result for a tool that exited with 0, or answered. */
async function answerOf(remains: Remains): Promise<Result> {
  const { limits, output, problem } = remains;
  const { answer, overflow, overflowProblem } = output;
  if (problem !== undefined) return invalid(remains, answer && !answer.ok ? answer.problem : problem);
  if (answer) return answer.ok ? success(answer.text, answer.value) : invalid(remains, answer.problem);
  if (overflow === undefined || overflowProblem !== undefined) return notKept(remains);
  const fitted = await fitAnswer(overflow, limits.maxOutputBytes);
  if (!fitted.ok) {
    return "problem" in fitted ? invalid(remains, fitted.problem) : notFitting(remains, overflow);
  }
  const result = success(fitted.text, fitted.value);
  if (fitted.leftOutBytes > 0) {
    const note = `${fitted.leftOutBytes} bytes of its answer were left out; the whole answer is in ${overflow.path}`;
    return { ...result, note, overflowFile: overflow.path };
  }
  // Only white space was over the limit.
  overflow.remove();
  return result;
}

function success(text: string, value: JsonObject): Result {
  return { envelope: { tool_success: true, result: value }, json: successJson(text) };
}

async function timedOut(remains: Remains): Promise<Result> {
  const { tool, limits, lingers } = remains;
  const time = `${limits.timeoutMs / 1_000}s`;
  if (lingers)
    return {
      ...(await stopped(remains, "TOOL_TIMEOUT", `answered but did not exit within ${time}`)),
      note: lingeringHint,
    };
  const argument = tool.schema.ikigai?.timeoutArgument;
  const advice = `. To give a call more time, pass a larger "${argument}" (at most ${maxTimeoutMs})`;
  const isLongest = argument === undefined || limits.timeoutMs >= maxTimeoutMs;
  const what = `timed out after ${time}${isLongest ? "" : advice}`;
  return { ...(await stopped(remains, "TOOL_TIMEOUT", what)), note: timeHint(tool, limits.timeoutMs) };
}

/** The result for a tool that we ended. If it answered nonetheless, shows the answer's `output` instead of cut-off JSON. */
async function stopped(remains: Remains, code: HostErrorCode, what: string): Promise<Result> {
  const text = await outputOf(remains.output, remains.limits);
  if (text === undefined) return failure(remains, code, what);
  const shown = new HeadAndTail(maxFailureStreamBytes);
  shown.add(Buffer.from(text));
  return failure(remains, code, what, shown.toText());
}

/** Returns the `output` of a late answer; `undefined` if there is no answer, or it reports an error. */
async function outputOf(
  { answer, overflow, overflowProblem }: OutputCollector,
  { maxOutputBytes }: CallLimits,
): Promise<string | undefined> {
  const isInFile = overflow !== undefined && overflowProblem === undefined;
  const reading = answer ?? (isInFile ? await fitAnswer(overflow, maxOutputBytes) : undefined);
  if (!reading || !("value" in reading)) return undefined;
  const { output, error } = reading.value;
  return typeof output === "string" && error === undefined ? output : undefined;
}

function failure(
  { tool, end, output, stderr }: Remains,
  code: HostErrorCode,
  what: string,
  stdout = withoutMarks(output.ends.toText(), tool.launcher),
): Result {
  const envelope = failureEnvelope(code, `Tool '${tool.name}' ${what}`, {
    // A process we killed has no exit code of its own.
    exit_code: end.verdict === "exited" ? (end.exit?.code ?? null) : null,
    stdout,
    stderr: stderr.toText(),
  });
  const file = output.overflow?.path;
  return { envelope, json: JSON.stringify(envelope), ...(file !== undefined && { overflowFile: file }) };
}

function crashed(remains: Remains, { code, signal }: NonNullable<End["exit"]>): Result {
  const { tool, through, output, stderr } = remains;
  const printed = { stdout: output.ends.toText(), stderr: stderr.toText() };
  const trouble = startTrouble({ exitCode: code, through, launcher: tool.launcher, ...printed });
  if (trouble) return failure(remains, trouble.code, trouble.what);
  const [line, ...others] = printed.stderr.trim().split("\n");
  // Exit code 1 with one line on stderr is how a tool refuses a call (protocol 1.6).
  const isRefusal = code === 1 && !signal && printed.stdout === "" && others.length === 0;
  const reason = remains.refusal?.split("\n", 1)[0] || (isRefusal && line);
  if (reason) return failure(remains, "TOOL_CRASHED", `refused the call: ${reason}`);
  const cause = signal ? ` (killed by ${signal})` : "";
  return failure(remains, "TOOL_CRASHED", `crashed with exit code ${code}${cause}`);
}

function invalid(remains: Remains, problem: string): Result {
  return failure(remains, "INVALID_OUTPUT", `returned invalid JSON: ${problem}`);
}

function flooded(remains: Remains): Result {
  const { overflow, overflowProblem } = remains.output;
  const place = overflow && overflowProblem === undefined ? `; the beginning is in ${overflow.path}` : "";
  const what = `was stopped because it printed more than ${maxOverflowBytes / bytesPerMib} MiB${place}`;
  return failure(remains, "OUTPUT_TOO_LARGE", what);
}

function notKept(remains: Remains): Result {
  const { overflow, overflowProblem, totalBytes } = remains.output;
  overflow?.remove();
  const limit = `more than ${remains.limits.maxOutputBytes} bytes (${totalBytes})`;
  const { overflowFile: _, ...result } = failure(
    remains,
    "OUTPUT_TOO_LARGE",
    `printed ${limit}, and the rest could not be saved: ${overflowProblem}`,
  );
  return result;
}

function notFitting(remains: Remains, { path }: OverflowFile): Result {
  const { limits, output } = remains;
  const sizes = `${output.totalBytes} bytes (limit ${limits.maxOutputBytes})`;
  const what = `printed ${sizes} and has no long strings to cut; the whole answer is in ${path}. Read it there in parts, or ask the tool for less.`;
  return failure(remains, "OUTPUT_TOO_LARGE", what);
}

const lingeringHint =
  "After its answer, the tool must exit. An open timer or connection, or a process that it has started, may keep it running.";

function timeHint({ name, schema }: RegisteredTool, timeoutMs: number): string {
  const isAsked = schema.ikigai?.timeoutMs === timeoutMs;
  const own = isAsked ? `Its schema asks for ${timeoutMs} ms ("ikigai.timeoutMs"). ` : "";
  return `${own}To give it more time, set tools.${name}.timeoutMs in your configuration.`;
}
