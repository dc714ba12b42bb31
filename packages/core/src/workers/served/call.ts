// A call in a process that answers one after the other: sent, waited for, and its outcome, with what the process did wrong.

import { setImmediate as nextTurn } from "node:timers/promises";
import { maxFailureStreamBytes } from "@ikigai/protocol";
import { HeadAndTail, within } from "@ikigai/system";
import { parseArguments } from "../../call/arguments.ts";
import { asJob, isJobAnswer, waitingMs } from "../../call/job-call.ts";
import type { CallResult, PreparedCall } from "../../call/options.ts";
import { refuse, refusedOutcome, toOutcome } from "../../call/outcome.ts";
import { OutputCollector } from "../../call/output.ts";
import type { End } from "../../leftovers/settle.ts";
import { untilVerdict, type Verdict } from "../../process/until-over.ts";
import { callFrame } from "../lines.ts";
import type { CallInProcess, CallSink, ServedProcess } from "./process.ts";
import type { Reply } from "./replies.ts";

/** How long a process that printed something else than a reply has to exit, in milliseconds: its exit code says more. */
const exitingMs = 100;

/**
 * Makes a call in a process that answers several. Returns `undefined`, and has done nothing, if the call needs a process of its
 * own. Once the call is sent, its outcome is that of the process: no call is sent twice.
 *
 * @param take waits for a process, which is then given back, used or ended; `undefined` if none gets ready in time.
 */
export async function callServed(
  call: PreparedCall,
  take: () => Promise<ServedProcess | undefined>,
): Promise<CallResult | undefined> {
  const { tool, text, isObject, options, ahead } = call;
  // What is not an object could be more than the arguments of a frame.
  if (!isObject && parseArguments(text) === undefined) return undefined;
  ahead?.discard();
  const process = await take();
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
