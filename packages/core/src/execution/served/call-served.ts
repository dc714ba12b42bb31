import { setImmediate as nextTurn } from "node:timers/promises";
import { maxFailureStreamBytes } from "@ikigai/protocol";
import type { Command } from "@ikigai/sandbox";
import { HeadAndTail, within } from "@ikigai/system";
import type { End } from "../../leftovers/until-settled.ts";
import { untilVerdict, type Verdict } from "../../process/until-over.ts";
import { parseArguments } from "../call-arguments.ts";
import { asJob, isJobAnswer, waitingMs } from "../leave-job.ts";
import type { Outcome } from "../outcome.ts";
import { OutputCollector } from "../output-collector.ts";
import type { PreparedCall } from "../prepare-call.ts";
import { refuse } from "../refuse.ts";
import { toOutcome } from "../to-outcome.ts";
import { callFrame } from "../wire/call-frame.ts";
import { refusedOutcome } from "../wire/refused-outcome.ts";
import type { Reply } from "./reply-reader.ts";
import type { CallInProcess, CallSink } from "./served-call.ts";
import type { ServedProcess } from "./served-process.ts";

/** How long a process that printed something else than a reply has to exit, in milliseconds: its exit code says more. */
const exitingMs = 100;

/**
 * Makes a call in a process that answers several. Returns `undefined`, and has done nothing, if the call needs a process of its
 * own. Once the call is sent, its outcome is that of the process: no call is sent twice.
 */
export async function callServed(
  call: PreparedCall,
  command: Command,
): Promise<Omit<Outcome, "durationMs"> | undefined> {
  const { tool, text, isObject, options, ahead } = call;
  const served = options.spares?.served;
  if (!served?.serves(tool, options)) return undefined;
  // What is not an object could be more than the arguments of a frame.
  if (!isObject && parseArguments(text) === undefined) return undefined;
  ahead?.discard();
  const process = await served.take(tool, command, options);
  const sink = sinkOf(call);
  const sent = options.signal?.aborted ? undefined : process?.call(options.callId, sink, (id) => callFrame(id, call));
  if (process && sent) return outcomeIn(process, sent, sink, call);
  process?.giveBack();
  return refuse(tool, options);
}

function sinkOf({ limits, options }: PreparedCall): CallSink {
  const { callId, overflowDir, onProgress } = options;
  const output = new OutputCollector({ maxBytes: limits.maxOutputBytes, overflowDir, callId });
  return { output, stderr: new HeadAndTail(maxFailureStreamBytes), onProgress };
}

async function outcomeIn(process: ServedProcess, sent: CallInProcess, sink: CallSink, call: PreparedCall) {
  const { output } = sink;
  let reply: Reply | undefined;
  const answered = sent.reply.then((said) => {
    reply = said;
  });
  const { signal } = call.options;
  const timeoutMs = waitingMs(call);
  const startedAt = new Date();
  const verdict = await untilVerdict(sent.tool, { timeoutMs, signal, flooded: output.flooded, answered });
  if (verdict === "answered" && isGood(reply, output)) {
    // The last progress reports may still be in the pipe.
    if (sink.onProgress) await nextTurn();
    if (isJobAnswer(call, output)) {
      const killLeft = process.handOver(sent);
      const outcome = await outcomeOf(reply, { verdict, exit: undefined, leftProcesses: false }, sink, call);
      return asJob(call, { tool: sent.tool, killLeft, startedAt, takesInput: true }, outcome);
    }
    const leftProcesses = await process.release(sent);
    return outcomeOf(reply, { verdict, exit: undefined, leftProcesses }, sink, call);
  }
  const isStray = verdict === "answered";
  const isGone = isStray && (await within(exitingMs, sent.tool.exited)) !== undefined;
  const last: Verdict = isGone ? "exited" : isStray ? "flooded" : verdict;
  const end = await process.stop(sent, last, () => isStray || (verdict === "exited" && reply === undefined));
  return outcomeOf(reply, isStray && !isGone ? { ...end, verdict: "answered" } : end, sink, call);
}

function isGood(reply: Reply | undefined, { answer }: OutputCollector): boolean {
  return reply?.kind === "refused" || (reply?.kind === "answered" && answer?.ok !== false);
}

function outcomeOf(reply: Reply | undefined, end: End, { output, stderr }: CallSink, { tool, limits }: PreparedCall) {
  const remains = { tool, limits, through: undefined, output, stderr };
  const isOwnEnd = end.verdict === "exited" || end.verdict === "answered";
  if (!isOwnEnd || reply === undefined) return toOutcome({ ...remains, end });
  switch (reply.kind) {
    case "answered":
      return toOutcome({ ...remains, end: output.answer?.ok === false ? end : { ...end, verdict: "answered" } });
    case "refused":
      return refusedOutcome({ ...remains, end }, reply.reason);
    case "strayed":
      return toOutcome({ ...remains, end, problem: "it is not a reply to this call" });
    default:
      return reply satisfies never;
  }
}
