import { graceMs, maxFailureStreamBytes, type PlainInput } from "@ikigai/protocol";
import type { Command, Failure, Through } from "@ikigai/sandbox";
import { HeadAndTail, isExiting } from "@ikigai/system";
import { startGuarded } from "../leftovers/start-guarded.ts";
import { killLeftOf, settle } from "../leftovers/until-settled.ts";
import { readChunks } from "../process/printed-output.ts";
import type { Started, ToolProcess } from "../process/start-process.ts";
import { untilOver, untilVerdict } from "../process/until-over.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { type AheadProcess, type ExecuteOptions, withDefaults } from "./call-options.ts";
import { commandFor } from "./command-for.ts";
import { asJob, isJobAnswer, mayLeaveJob, reserveJob, waitingMs } from "./leave-job.ts";
import { answeredOutcome, type Outcome } from "./outcome.ts";
import { OutputCollector } from "./output-collector.ts";
import { plainProgress } from "./plain-call.ts";
import { type PreparedCall, prepareCall } from "./prepare-call.ts";
import { readProgress } from "./read-progress.ts";
import { refuse, unavailable } from "./refuse.ts";
import { methodsFor } from "./requests/host-api.ts";
import type { readRequests as RequestsReader } from "./requests/request-reader.ts";
import { callServed } from "./served/call-served.ts";
import { toOutcome } from "./to-outcome.ts";

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
    return { ...(await callSomewhere(call, plain)), durationMs: performance.now() - startedAtMs };
  } finally {
    room?.[Symbol.dispose]();
  }
}

/** Makes a call in the tool's service, in a process that has answered others, or in its own. */
async function callSomewhere(call: PreparedCall, plain: PlainInput | undefined): Promise<Omit<Outcome, "durationMs">> {
  const { tool, limits, options, sandbox } = call;
  const inService = await callInService(call);
  if (inService) return inService;
  const command = commandFor(tool, limits, options, sandbox, plain);
  const served = "failure" in command ? undefined : await callServed(call, command);
  if (served) keepNext(call);
  return served ?? callOnce(call, command);
}

/** Makes a call in the tool's service, if it has one. */
async function callInService(call: PreparedCall): Promise<Omit<Outcome, "durationMs"> | undefined> {
  const { tool, options } = call;
  if (!options.spares?.services.serves(tool, options)) return undefined;
  // Loaded only now: most conversations need no service.
  const service = await import("./service/service-call.ts");
  return service.callInService(call, options.spares.services);
}

/** Makes a call in a process of its own. */
async function callOnce(call: PreparedCall, command: Command | Failure): Promise<Omit<Outcome, "durationMs">> {
  const { tool, text, limits, options, sandbox, ahead } = call;
  // Loaded only now: few tools ask.
  const asks = methodsFor(tool, options.host).length > 0;
  const readRequests = asks ? (await import("./requests/request-reader.ts")).readRequests : undefined;
  const started = await startOrTake(command, ahead);
  if ("failure" in started) return unavailable(tool, `cannot be started: ${started.failure}`);
  const { requests, ...streams } = listen(started.process, call, readRequests);
  const startedAt = new Date();
  started.process.send(text);
  keepNext({ tool, options, sandbox });
  const { callId, signal } = options;
  const { through } = started.process;
  const { answered } = streams;
  const { output } = streams;
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
  const remains = {
    tool,
    limits,
    through,
    lingers,
    ...(call.plain && "words" in call.plain && { ignored: call.plain.ignored }),
    ...streams,
  };
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
