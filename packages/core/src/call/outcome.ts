// What a call gave, and every sentence that says why it failed. In order: the envelope, calls that are never started, the outcome of a process
// that has ended, failures of a sandbox or launcher, and calls that a worker refused.

import {
  type Envelope,
  type FailureEnvelope,
  type HostErrorCode,
  type JsonObject,
  maxFailureStreamBytes,
  maxOverflowBytes,
  maxTimeoutMs,
  type SuccessEnvelope,
} from "@ikigai/protocol";
import { endMark, type Launcher, type SandboxSettings, startMark, type Through } from "@ikigai/sandbox";
import { HeadAndTail, onOneLine, replaceMember, tellingLine } from "@ikigai/system";
import type { End } from "../leftovers/settle.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { firstChange } from "../registry/stamps.ts";
import { hasOpenNeeds } from "../trust/needs.ts";
import type { CallLimits } from "./arguments.ts";
import { fitAnswer, OutputCollector, type OverflowFile } from "./output.ts";
import { reportMark } from "./plain-call.ts";

/** The result of a call. */
export interface Outcome {
  /** What the model gets: `tool_success: true` with the tool's result, or `false` with an error. */
  readonly envelope: Envelope;
  /**
   * The envelope as JSON text on one line, to be sent to the model. Contains the tool's answer as it was printed: twenty-digit
   * numbers and duplicate keys are kept, which `envelope` loses.
   */
  readonly json: string;
  /** Time from starting the tool to the end of the call, in milliseconds; 0 if it was not started. */
  readonly durationMs: number;
  /** The file with the whole output, if it was longer than `maxOutputBytes`. The caller removes it. */
  readonly overflowFile?: string;
  /** Hints for people, not for the model, one sentence each: processes left behind, how to allow more time. */
  readonly notes: readonly string[];
}

/** Optional fields of a failure. */
export type FailureDetails = Partial<Pick<FailureEnvelope, "exit_code" | "stdout" | "stderr">>;

/** Builds the envelope of a failed call. */
export function failureEnvelope(code: HostErrorCode, error: string, details: FailureDetails = {}): FailureEnvelope {
  return { tool_success: false, error, error_code: code, exit_code: null, stdout: "", stderr: "", ...details };
}

/** The outcome of a call that was never started: denied by the user, or cancelled before its turn. Never throws. */
export function failedOutcome(code: HostErrorCode, error: string): Outcome {
  const envelope = failureEnvelope(code, error);
  return { envelope, json: JSON.stringify(envelope), durationMs: 0, notes: [] };
}

/** The outcome of a call that the host answers itself, as the tool would. */
export function answeredOutcome(result: JsonObject): Outcome {
  return {
    envelope: { tool_success: true, result },
    json: successJson(JSON.stringify(result)),
    durationMs: 0,
    notes: [],
  };
}

/** What the host adds to an envelope. */
type HostFields = Required<Omit<SuccessEnvelope, keyof FailureEnvelope> & Omit<FailureEnvelope, "tool_success">>;

/** Sets a field of the envelope beside the tool's own text, which stays as it is. */
export function withField<Result extends Outcome, Name extends keyof HostFields>(
  outcome: Result,
  name: Name,
  value: HostFields[Name],
): Result {
  const { envelope, json } = outcome;
  const text = JSON.stringify(value);
  return {
    ...outcome,
    envelope: { ...envelope, [name]: value },
    json: Object.hasOwn(envelope, name)
      ? replaceMember(json, name, () => text)
      : `${json.slice(0, -1)},${JSON.stringify(name)}:${text}}`,
  };
}

/** Wraps a tool's text unparsed: parsing and printing would lose big numbers and duplicate keys. */
function successJson(text: string): string {
  return `{"tool_success":true,"result":${onOneLine(text)}}`;
}

/** What decides it, besides the tool. */
interface RefusedCall {
  readonly signal?: AbortSignal | undefined;
  readonly sandbox?: SandboxSettings | undefined;
}

/**
 * Returns why a call must not start: it was cancelled, the user has not agreed to what the tool needs in the sandbox, or a trusted file
 * has changed.
 */
export function refuse(tool: RegisteredTool, { signal, sandbox }: RefusedCall): Outcome | undefined {
  if (signal?.aborted) return failedOutcome("TOOL_CANCELLED", `Tool '${tool.name}' was interrupted by the user`);
  if (sandbox && !tool.launcher && hasOpenNeeds(tool, sandbox.isReadOnly === true))
    return unavailable(
      tool,
      `was not run in the sandbox: the user has not approved what it needs; they can, with: ikigai tool allow ${tool.name}`,
    );
  const changed = tool.trusted && firstChange(tool.trusted);
  if (changed === undefined) return undefined;
  return unavailable(tool, `was not run: ${changed} has changed since you trusted it; review it and run: ikigai trust`);
}

export function unavailable({ name }: RegisteredTool, what: string): Outcome {
  return failedOutcome("TOOL_UNAVAILABLE", `Tool '${name}' ${what}`);
}

/** Everything known about a call once its process is gone. */
interface Remains {
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
      if (remains.tool.plain) return plainResult(remains) ?? (end.exit && crashed(remains, end.exit));
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

/** Exit codes of a shell that could not start a program. */
const notStarted = [126, 127];

/**
 * The result of a plain tool that has exited: an object that it printed, else its output as text. `undefined` if it is a
 * failure: a signal, a program that was not found, or an exit code without a word.
 */
function plainResult({ end: { exit }, output, stderr, limits, ignored = [] }: Remains): Result | undefined {
  const complaint = stderr
    .toText()
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith(reportMark))
    .at(-1);
  const hasFailed = exit !== undefined && exit.code !== 0;
  const isSilent = output.totalBytes === 0 && complaint === undefined;
  if (hasFailed && (exit.signal || notStarted.includes(exit.code) || isSilent)) return undefined;
  const { answer, overflow } = output;
  if (!hasFailed && answer?.ok) return success(answer.text, answer.value);
  const result = {
    output: fitting(output.text().replace(/\r?\n$/, ""), limits.maxOutputBytes),
    ...(hasFailed && { exit_code: exit.code, ...(complaint !== undefined && { error: complaint.trim() }) }),
    ...(ignored.length > 0 && { ignored: [...ignored] }),
  };
  const file = overflow && output.overflowProblem === undefined ? { overflowFile: overflow.path } : {};
  return { ...success(JSON.stringify(result), result), ...file };
}

/** The text, cut until it fits as JSON: control characters take six times their size. */
function fitting(text: string, maxBytes: number): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= maxBytes) return text;
  const half = Math.floor((text.length * maxBytes) / bytes / 2.2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out\n${text.slice(-half)}`;
}

/** The remains of a process that ended badly. */
interface BadEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly through: Through | undefined;
  readonly launcher: Launcher | undefined;
}

/** A failure of the sandbox or launcher, not of the tool. */
interface StartTrouble {
  readonly code: HostErrorCode;
  /** The end of a sentence that begins with the tool's name. */
  readonly what: string;
}

/** ssh's exit code for connection errors. */
const connectionCode = 255;

/** Returns how the sandbox or launcher failed to start the tool or cut it off; `undefined` if the tool itself failed. */
export function startTrouble({ exitCode, stdout, stderr, through, launcher }: BadEnd): StartTrouble | undefined {
  if (launcher) {
    const means = launcher.argv.join(" ");
    const reason = tellingLine(stderr, "last") || `exit code ${exitCode}`;
    if (stdout === "") return { code: "TOOL_UNAVAILABLE", what: `cannot be started through "${means}": ${reason}` };
    if (exitCode !== connectionCode || stdout.endsWith(endMark)) return undefined;
    return {
      code: "TOOL_CRASHED",
      what: `was cut off: "${means}" lost its connection (${reason}); changes it has made remain`,
    };
  }
  // bwrap has no exit code of its own for errors.
  const [, reason] = /^bwrap: (.*)/.exec(stderr) ?? [];
  if (through?.kind !== "sandbox" || exitCode !== 1 || stdout !== "" || reason === undefined) return undefined;
  return { code: "TOOL_UNAVAILABLE", what: `cannot be started in the sandbox: ${reason}` };
}

/** Removes the launcher's marks from a tool's output. */
function withoutMarks(stdout: string, launcher: Launcher | undefined): string {
  if (!launcher) return stdout;
  const text = stdout.startsWith(startMark) ? stdout.slice(startMark.length) : stdout;
  return text.endsWith(endMark) ? text.slice(0, -endMark.length) : text;
}

/** The outcome of a call that was refused: the same as when a tool with one call per process says so on stderr and exits with 1. */
export function refusedOutcome(remains: Remains, reason: string): Promise<Omit<Outcome, "durationMs">> {
  const { limits, stderr, end } = remains;
  stderr.add(Buffer.from(`${reason}\n`));
  const output = new OutputCollector({ maxBytes: limits.maxOutputBytes, callId: "" });
  return toOutcome({
    ...remains,
    refusal: reason,
    output,
    end: { ...end, verdict: "exited", exit: { code: 1, signal: undefined } },
  });
}
