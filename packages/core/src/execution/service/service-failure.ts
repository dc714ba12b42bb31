import { type HostErrorCode, maxFailureStreamBytes, maxOverflowBytes } from "@ikigai/protocol";
import { HeadAndTail } from "@ikigai/system";
import type { Exit } from "../../process/start-process.ts";
import { type FailureDetails, failureEnvelope, type Outcome } from "../outcome.ts";
import { OutputCollector } from "../output-collector.ts";
import type { PreparedCall } from "../prepare-call.ts";
import { startTrouble } from "../start-trouble.ts";
import { toOutcome } from "../to-outcome.ts";
import type { ServiceEnd } from "./open-calls.ts";
import type { TakenService } from "./service-lane.ts";
import { deathsMs, maxDeaths, maxServices, readyMs } from "./service-limits.ts";
import type { Said } from "./service-log.ts";

type Result = Omit<Outcome, "durationMs">;

const bytesPerMib = 1_048_576;

/** The outcome of a call that its service was not given. */
export async function notTakenOutcome(
  taken: Exclude<TakenService, { kind: "service" }>,
  call: PreparedCall,
): Promise<Result> {
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
export async function endedOutcome(
  end: Pick<ServiceEnd, "cause"> & Partial<ServiceEnd>,
  stderr: Said,
  call: PreparedCall,
  wasReady = true,
): Promise<Result> {
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
function answerOutcome(line: Buffer, { tool, limits, options }: PreparedCall, said?: string): Promise<Result> {
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

function cannotStart(call: PreparedCall, why: string): Result {
  return failed("TOOL_UNAVAILABLE", call, `cannot be started: ${why}`);
}

function failed(code: HostErrorCode, { tool }: PreparedCall, what: string, details: FailureDetails = {}): Result {
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
