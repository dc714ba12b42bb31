// A call in a service: sent, waited for, cancelled; and what the model gets if the service is not there or ends.
import { graceMs, type HostErrorCode, maxFailureStreamBytes, maxOverflowBytes } from "@ikigai/protocol";
import { HeadAndTail, newestId, within } from "@ikigai/system";
import { parseArguments } from "../../call/arguments.ts";
import type { CallResult, PreparedCall } from "../../call/options.ts";
import {
  type FailureDetails,
  failureEnvelope,
  refuse,
  refusedOutcome,
  startTrouble,
  toOutcome,
} from "../../call/outcome.ts";
import { OutputCollector } from "../../call/output.ts";
import { ownVariables } from "../../call/prepare-call.ts";
import { killLeftovers, markedBy } from "../../leftovers/settle.ts";
import type { Exit } from "../../process/start-process.ts";
import { callMarks } from "../../process/tool-command.ts";
import { untilVerdict } from "../../process/until-over.ts";
import { callFrame } from "../lines.ts";
import type { TakenService } from "./lane.ts";
import type { Said } from "./log.ts";
import type { ServiceProcess } from "./process.ts";
import { deathsMs, maxDeaths, maxServices, readyMs, type ServiceEnd, type ServiceReply } from "./replies.ts";

/**
 * Makes a call in a service. Returns `undefined` if the call needs a process of its own.
 *
 * @param take waits for the service, and starts it if need be
 */
export async function callInService(
  call: PreparedCall,
  take: () => Promise<TakenService>,
): Promise<CallResult | undefined> {
  const { tool, text, isObject, options, ahead } = call;
  // What is not an object could be more than the arguments of a frame.
  if (!isObject && parseArguments(text) === undefined) return undefined;
  ahead?.discard();
  const taken = await take();
  if (taken.kind !== "service") return refuse(tool, options) ?? notTakenOutcome(taken, call);
  const { process: service, starter } = taken;
  const own = ownVariables(tool, options.env ?? process.env, starter.command.env);
  try {
    // Its start took time: a trusted file may have changed, or the user may have interrupted.
    return refuse(tool, options) ?? (await outcomeIn(service, call, own));
  } finally {
    service.leave();
  }
}

async function outcomeIn(
  service: ServiceProcess,
  call: PreparedCall,
  own: Readonly<Record<string, string>>,
): Promise<CallResult> {
  const { tool, limits, options } = call;
  const { callId, overflowDir, onProgress, signal } = options;
  const output = new OutputCollector({ maxBytes: limits.maxOutputBytes, overflowDir, callId });
  const firstPid = newestId();
  // Earlier calls have printed what is before.
  const printed = service.log.length;
  const sent = service.call(
    output,
    (progress) => onProgress?.(progress),
    (id) => callFrame(id, call, own),
  );
  let reply: ServiceReply | ServiceEnd | undefined;
  if (!sent) return endedOutcome({ cause: "asked" }, service.log.since(printed), call);
  const answered = sent.reply.then((said) => {
    reply = said;
  });
  // The end of the service is a reply, too.
  const noProcess = { pid: 0, exited: new Promise<never>(() => {}) };
  const ending = { timeoutMs: limits.timeoutMs, graceMs, signal, flooded: output.flooded, answered };
  const verdict = await untilVerdict(noProcess, ending);
  if (verdict === "flooded") service.stop("flooded");
  if (verdict === "timeout" || verdict === "cancelled") {
    service.cancel(sent.id);
    await within(graceMs, answered);
  }
  service.drop(sent.id);
  const { found: hasLeft } = await killLeftovers(markedBy(callMarks(callId)), firstPid);
  const end = { verdict, exit: undefined, leftProcesses: hasLeft && verdict === "answered" };
  const remains = { tool, limits, through: undefined, output, stderr: new HeadAndTail(maxFailureStreamBytes), end };
  if (verdict !== "answered" || reply === undefined) return toOutcome(remains);
  switch (reply.kind) {
    case "answered":
      if (output.answer?.ok === false) service.stop("strayed", Buffer.from(output.ends.toText()));
      return toOutcome(remains);
    case "refused":
      return refusedOutcome(remains, reply.reason);
    case "ended":
      return endedOutcome(reply, service.log.since(printed), call);
    default:
      return reply satisfies never;
  }
}

const bytesPerMib = 1_048_576;

/** The outcome of a call that its service was not given. */
async function notTakenOutcome(
  taken: Exclude<TakenService, { kind: "service" }>,
  call: PreparedCall,
): Promise<CallResult> {
  const service = serviceOf(call);
  switch (taken.kind) {
    case "not started":
      if (taken.start.kind === "failed") return answerOutcome(taken.start.answer, call);
      if (taken.start.kind === "impossible") return cannotStart(call, taken.start.failure);
      return endedOutcome(taken.start, taken.log.since(0), call, false);
    case "impossible":
      return cannotStart(call, taken.failure);
    case "limit": {
      const why = `${maxServices} services are running, which is the limit; end one with /jobs`;
      return failed("TOOL_UNAVAILABLE", call, `was not called: its ${service} cannot be started: ${why}`);
    }
    case "dead": {
      const what = `ended unexpectedly ${maxDeaths} times within ${deathsMs / 1_000} seconds`;
      const why = `its ${service} ${what}${logAt(taken.logPath)}. To start it again: /refresh`;
      return failed("TOOL_UNAVAILABLE", call, `was not called: ${why}`);
    }
    case "interrupted":
      return failed("TOOL_CANCELLED", call, "was interrupted by the user");
    default:
      return taken satisfies never;
  }
}

/** The outcome of a call whose service has ended. @param stderr what it printed for this call. @param wasReady whether it had accepted calls. */
async function endedOutcome(
  end: Pick<ServiceEnd, "cause"> & Partial<ServiceEnd>,
  stderr: Said,
  call: PreparedCall,
  wasReady = true,
): Promise<CallResult> {
  const service = serviceOf(call);
  const details = { exit_code: end.cause === "exited" ? (end.exit?.code ?? null) : null, stderr: stderr.end };
  switch (end.cause) {
    case "asked":
      return failed("SERVICE_DIED", call, `failed: its ${service} was ended, as the user asked`, details);
    case "late": {
      const what = `its ${service} was not ready after ${readyMs / 1_000} seconds${said(stderr)}`;
      return failed("TOOL_UNAVAILABLE", call, `was not called: ${what}`, details);
    }
    case "flooded": {
      const what = `its ${service} was stopped because it printed more than ${maxOverflowBytes / bytesPerMib} MiB`;
      return failed("OUTPUT_TOO_LARGE", call, `failed: ${what}${logAt(stderr.path)}`, details);
    }
    case "strayed":
      return answerOutcome(end.line ?? Buffer.alloc(0), call, stderr.end);
    case "exited": {
      const trouble = wasReady ? undefined : sandboxTrouble(end, stderr, call);
      if (trouble) return failed(trouble.code, call, trouble.what, details);
      const what = `its ${service} ${wasReady ? "" : "did not get ready: it "}${how(end.exit)}${said(stderr)}`;
      return failed("SERVICE_DIED", call, `failed: ${what}. The next call starts it again`, details);
    }
    default:
      return end.cause satisfies never;
  }
}

/** The outcome for a line that counts as the answer, or with `stderr` for one that does not. */
function answerOutcome(line: Buffer, { tool, limits, options }: PreparedCall, said?: string): Promise<CallResult> {
  const output = new OutputCollector({
    maxBytes: limits.maxOutputBytes,
    overflowDir: options.overflowDir,
    callId: options.callId,
  });
  output.add(line);
  const stderr = new HeadAndTail(maxFailureStreamBytes);
  stderr.add(Buffer.from(said ?? ""));
  const end = { verdict: "answered", exit: undefined, leftProcesses: false } as const;
  const problem = said === undefined ? undefined : "it is not a reply to a call";
  return toOutcome({ tool, limits, through: undefined, output, stderr, end, problem });
}

function cannotStart(call: PreparedCall, why: string): CallResult {
  return failed("TOOL_UNAVAILABLE", call, `cannot be started: ${why}`);
}

function failed(code: HostErrorCode, { tool }: PreparedCall, what: string, details: FailureDetails = {}): CallResult {
  const envelope = failureEnvelope(code, `Tool '${tool.name}' ${what}`, details);
  return { envelope, json: JSON.stringify(envelope), notes: [] };
}

function serviceOf({ tool }: PreparedCall): string {
  return `service '${tool.schema.ikigai?.service}'`;
}

function how(exit: Exit | undefined): string {
  if (exit?.signal) return `was killed by ${exit.signal}`;
  return exit ? `ended with exit code ${exit.code}` : "ended";
}

/** What it printed that says why, and where the rest is. */
function said({ reason, path }: Said): string {
  return `${reason === "" ? "" : `: ${reason}`}${logAt(path)}`;
}

function logAt(path: string | undefined): string {
  return path === undefined ? "" : `; its log is ${path}`;
}

function sandboxTrouble({ exit }: Partial<ServiceEnd>, { end: stderr }: Said, { tool, sandbox }: PreparedCall) {
  const through = sandbox ? ({ kind: "sandbox" } as const) : undefined;
  return startTrouble({ exitCode: exit?.code ?? -1, stdout: "", stderr, through, launcher: tool.launcher });
}
