import { graceMs, maxFailureStreamBytes } from "@ikigai/protocol";
import { HeadAndTail, newestId, within } from "@ikigai/system";
import { callMarks } from "../../leftovers/call-marks.ts";
import { killLeftovers, markedBy } from "../../leftovers/kill-leftovers.ts";
import { untilVerdict } from "../../process/until-over.ts";
import { parseArguments } from "../call-arguments.ts";
import type { ServicePool } from "../call-options.ts";
import { ownVariables } from "../call-variables.ts";
import type { Outcome } from "../outcome.ts";
import { OutputCollector } from "../output-collector.ts";
import type { PreparedCall } from "../prepare-call.ts";
import { refuse } from "../refuse.ts";
import { toOutcome } from "../to-outcome.ts";
import { callFrame } from "../wire/call-frame.ts";
import { refusedOutcome } from "../wire/refused-outcome.ts";
import type { ServiceEnd } from "./open-calls.ts";
import { endedOutcome, notTakenOutcome } from "./service-failure.ts";
import type { ServiceProcess } from "./service-process.ts";
import type { ServiceReply } from "./service-reader.ts";

type Result = Omit<Outcome, "durationMs">;

/** Makes a call in a service, which it starts if need be. Returns `undefined` if the call needs a process of its own. */
export async function callInService(call: PreparedCall, services: ServicePool): Promise<Result | undefined> {
  const { tool, text, isObject, limits, options, ahead } = call;
  // What is not an object could be more than the arguments of a frame.
  if (!isObject && parseArguments(text) === undefined) return undefined;
  ahead?.discard();
  const taken = await services.take(tool, limits, options);
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
): Promise<Result> {
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
