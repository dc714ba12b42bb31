// Makes a call. In order: the functions for programs and for the agent, where a call is made (in a worker, or in a process of its
// own), a call in its own process, and a call by name, with what there is instead if no tool has it.

import { graceMs, maxFailureStreamBytes } from "@ikigai/protocol";
import type { Command, Failure, Through } from "@ikigai/sandbox";
import { HeadAndTail, isExiting, nearestWord, readJsonObject } from "@ikigai/system";
import { mayLeaveJob, reserveJob } from "../jobs/jobs.ts";
import { killLeftOf, settle } from "../leftovers/settle.ts";
import { startGuarded } from "../leftovers/watchdog.ts";
import { readChunks, readProgress } from "../process/read-output.ts";
import type { Started, ToolProcess } from "../process/start-process.ts";
import { untilOver, untilVerdict } from "../process/until-over.ts";
import { type FailedTool, findTool, type RegisteredTool, type Registry } from "../registry/registry.ts";
import { catalogOf } from "../skills/catalog.ts";
import { methodsFor } from "./host-api.ts";
import type { readRequests as RequestsReader } from "./host-requests.ts";
import { asJob, isJobAnswer, waitingMs } from "./job-call.ts";
import { type AheadProcess, type CallResult, type ExecuteOptions, type PreparedCall, withDefaults } from "./options.ts";
import { answeredOutcome, failedOutcome, type Outcome, refuse, toOutcome, unavailable } from "./outcome.ts";
import { OutputCollector } from "./output.ts";
import { plainProgress } from "./plain-call.ts";
import { commandFor, prepareCall } from "./prepare-call.ts";

/**
 * Calls a tool: starts one process, writes `args` to its stdin and reads the answer from its stdout. When the promise settles,
 * the process and everything it started are gone, except what it started without `IKIGAI_CALL_ID`. With `spares`, a tool that
 * declares `serves` may answer from a process that stays, and one that names a `service` does.
 *
 * Never rejects: failures are in the envelope, as `TOOL_UNAVAILABLE`, `TOOL_TIMEOUT`, `TOOL_CANCELLED`, `TOOL_CRASHED`,
 * `INVALID_OUTPUT`, `OUTPUT_TOO_LARGE` or `SERVICE_DIED`.
 *
 * @param tool a tool of a registry.
 * @param options limits, directory and environment of the call; all have defaults.
 * @param args JSON text, passed on unchanged: the tool validates it.
 *
 * @example
 * const bash = findTool(registry, "bash");
 * if (bash) console.log((await execute(bash, '{"command":"ls"}', { timeoutMs: 5_000 })).envelope);
 */
export async function execute(tool: RegisteredTool, args: string, options: ExecuteOptions = {}): Promise<Outcome> {
  return executeCall(prepareCall(tool, args, withDefaults(options)));
}

/** Runs a prepared call. Never rejects, like `execute`. */
export async function executeCall(call: PreparedCall): Promise<Outcome> {
  const startedAtMs = performance.now();
  const { tool, options, sandbox, ahead } = call;
  const refusal = refuse(tool, options);
  if (refusal) {
    ahead?.discard();
    // A service of a project ends with the trust in the files that it may still read.
    if (tool.trusted && !options.signal?.aborted) void options.spares?.services.distrust();
    return refusal;
  }
  const { plain } = call;
  if (plain && "error" in plain) return answeredOutcome({ ...plain });
  const room = reserveJob(tool, options);
  try {
    await sandbox?.place.ready?.();
    return { ...(await callSomewhere(call)), durationMs: performance.now() - startedAtMs };
  } finally {
    room?.[Symbol.dispose]();
  }
}

/** Makes a call in the tool's service or in a process that has answered others, else in its own. */
async function callSomewhere(call: PreparedCall): Promise<CallResult> {
  const answered = await call.options.spares?.call(call);
  if (answered === undefined) return callOnce(call);
  keepNext(call);
  return answered;
}

/** Makes a call in a process of its own. */
async function callOnce(call: PreparedCall): Promise<CallResult> {
  const { tool, text, limits, options, sandbox, ahead, plain } = call;
  const input = plain && "words" in plain ? plain : undefined;
  // Loaded only now: few tools ask.
  const asks = methodsFor(tool, options.host).length > 0;
  const readRequests = asks ? (await import("./host-requests.ts")).readRequests : undefined;
  const started = await startOrTake(commandFor(tool, limits, options, sandbox, input), ahead);
  if ("failure" in started) return unavailable(tool, `cannot be started: ${started.failure}`);
  const { requests, ...streams } = listen(started.process, call, readRequests);
  const startedAt = new Date();
  started.process.send(text);
  keepNext({ tool, options, sandbox });
  const { callId, signal } = options;
  const { through } = started.process;
  const { answered, output } = streams;
  const { flooded } = output;
  const timeoutMs = waitingMs(call);
  const done = new Promise<void>((settle) => {
    void answered.then((how) => (how === "continues" || endsWithAnswer(tool, through)) && settle());
  });
  const ends = { signal, flooded, timeoutMs, clock: requests?.clock, answered: done };
  const verdict = await untilVerdict(started.process, ends);
  requests?.end();
  // Later, it may answer because it is asked to end.
  const lingers = verdict === "timeout" && output.answer?.ok === true;
  const remains = { tool, limits, through, lingers, ...(input && { ignored: input.ignored }), ...streams };
  const killLeft = () => killLeftOf(started.process, callId);
  if (verdict === "answered" && isJobAnswer(call, output)) {
    const outcome = await toOutcome({ ...remains, end: { verdict, exit: undefined, leftProcesses: false } });
    return asJob(call, { tool: started.process, killLeft, startedAt, takesInput: false }, outcome);
  }
  const over = await untilOver(started.process, verdict, { graceMs });
  return toOutcome({ ...remains, end: await settle(started.process, killLeft, over) });
}

/** Has a process ready for the tool's next call. */
function keepNext({ tool, options, sandbox }: Pick<PreparedCall, "tool" | "options" | "sandbox">): void {
  const { spares, refill = setImmediate } = options;
  if (spares) refill(() => spares.keep(tool, options, sandbox));
}

/** A tool that allows `prestart` does nothing before its input, so nothing after its answer either. */
function endsWithAnswer({ schema }: RegisteredTool, through: Through | undefined): boolean {
  return schema.ikigai?.prestart === true && through === undefined;
}

/** Takes the process that was started ahead if it fits; otherwise starts one. */
async function startOrTake(command: Command | Failure, ahead: AheadProcess | undefined): Promise<Started> {
  if ("failure" in command) {
    ahead?.discard();
    return command;
  }
  const waiting = await ahead?.take(command);
  return waiting ? { process: waiting } : startGuarded(command);
}

/** Reads all output from now on: a full pipe would block the tool. */
function listen(
  { pid, stdout, stderr, progress }: ToolProcess,
  call: PreparedCall,
  readRequests: typeof RequestsReader | undefined,
) {
  const { tool, limits, options } = call;
  const { callId, overflowDir, onProgress = () => {}, host = {} } = options;
  const ends = new HeadAndTail(maxFailureStreamBytes);
  const reports = tool.plain && plainProgress(onProgress);
  readChunks(stderr, (chunk) => {
    ends.add(chunk);
    reports?.(chunk);
  });
  const requests = progress && readRequests?.({ tool, callId }, host, progress);
  if (progress) readProgress(progress, onProgress, requests);
  const maxBytes = tool.plain ? (limits.answerBytes ?? limits.maxOutputBytes) : limits.maxOutputBytes;
  const output = new OutputCollector({ maxBytes, overflowDir, callId });
  const mayGoOn = mayLeaveJob(tool, options);
  const answered = new Promise<"is done" | "continues">((settle) => {
    readChunks(stdout, (chunk) => {
      output.add(chunk);
      // The sandbox's own process never closes its stdout.
      if (mayGoOn && isEndOfObject(chunk) && isJobAnswer(call, output)) settle("continues");
    });
    stdout.once("end", () => {
      // If it is already exiting, its exit code counts.
      if (output.answer?.ok && !isExiting(pid)) settle("is done");
    });
  });
  return { output, stderr: ends, answered, requests };
}

function isEndOfObject(chunk: Buffer): boolean {
  return /\}\s*$/.test(chunk.toString("latin1", Math.max(0, chunk.length - 8)));
}

/**
 * Calls a tool by name with the arguments a model wrote.
 *
 * Never rejects: failures are in the envelope. Adds to the codes of `execute`: `TOOL_NOT_FOUND`, and `INVALID_PARAMS` if the
 * arguments are not a JSON object. Empty arguments count as `{}`, since some models send them for tools without parameters.
 *
 * @param registry what `discover` returned.
 * @param name the tool's name, as the model uses it.
 * @param args the arguments as JSON text.
 * @param options limits, directory and environment of the call; all have defaults.
 *
 * @example
 * const { json, durationMs } = await callTool(registry, "file_read", '{"path":"README.md"}', { cwd: projectDir });
 * messages.push({ role: "tool", content: json });
 */
export async function callTool(
  registry: Registry,
  name: string,
  args: string,
  options: ExecuteOptions = {},
): Promise<Outcome> {
  const tool = findTool(registry, name);
  if (tool === undefined) return notFound(registry, name);
  const text = args.trim() === "" ? "{}" : args;
  const reading = readJsonObject(Buffer.from(text));
  if (reading.ok) {
    const { home, catalog = () => catalogOf(registry, home) } = options;
    return executeCall(prepareCall(tool, { text, value: reading.value }, withDefaults({ ...options, catalog })));
  }
  const problem = reading.isJson ? reading.problem : `expected a JSON object, but ${reading.problem}`;
  return failedOutcome("INVALID_PARAMS", `Arguments of tool '${name}': ${problem}`);
}

/**
 * The outcome for a tool that is not in the registry: says why it was not loaded, or suggests the nearest name. A tool whose
 * launcher failed is `TOOL_UNAVAILABLE`, every other one `TOOL_NOT_FOUND`.
 */
export function notFound(registry: Registry, name: string): Outcome {
  const launched = registry.failed.find((failure) => failure.name === name && failure.isLaunched);
  if (launched) {
    const { path, detail } = launched;
    return failedOutcome("TOOL_UNAVAILABLE", `Tool '${name}' cannot be started through "${path}": ${detail}`);
  }
  return failedOutcome("TOOL_NOT_FOUND", `Tool '${name}' not found${whatThereIs(registry, name)}`);
}

const notTrusted =
  "the project's tool of this name was not loaded: untrusted: the user has not trusted the project's present files";

/**
 * Says why a tool that failed to load is missing. Of a tool of an untrusted project it says no more than that: its path is the project's
 * text, and a model must not learn how to trust it; that is the user's decision.
 */
function whatThereIs(registry: Registry, name: string): string {
  const failures = registry.failed.filter((failure) => failure.name === name);
  const isUntrusted = ({ scope, reason }: FailedTool) =>
    reason === "untrusted" || (scope === "project" && registry.trust !== "trusted");
  const failed = failures.find((failure) => !isUntrusted(failure)) ?? failures[0];
  if (failed && isUntrusted(failed)) return `; ${notTrusted}`;
  if (failed) return `; ${failed.path} was not loaded: ${failed.reason}: ${failed.detail}`;
  const nearest = nearestWord(
    name,
    registry.tools.map((tool) => tool.name),
  );
  return nearest === undefined ? "" : `; the nearest name is '${nearest}'`;
}
