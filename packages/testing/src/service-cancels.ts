import { parseObject } from "@ikigai/system";
import type { Wrong } from "./check.ts";
import { patienceFor, safeCalls } from "./safe-calls.ts";
import { describe, watchMs } from "./served-tool.ts";
import { repliesTo, startService } from "./service-tool.ts";
import type { Subject } from "./subject.ts";

/** Cancels a call that is not open, and then one that is. */
export async function cancelProblem(subject: Subject): Promise<Wrong | undefined> {
  return (await strayCancelProblem(subject)) ?? openCallProblem(subject);
}

async function strayCancelProblem(subject: Subject): Promise<Wrong | undefined> {
  const [args] = await safeCalls(subject);
  const timeoutMs = args && (await patienceFor(subject, args));
  await using tool = await startService(subject);
  const id = `kit-${tool.pid}`;
  tool.cancel(id);
  // The reply to a later call shows that the frame has been read, however busy the machine is.
  const call = args && tool.send(args);
  const line = await tool.nextLine(timeoutMs ?? watchMs);
  if (line === undefined ? call === undefined && (await tool.exitCode(0)) === undefined : isReplyTo(line, call))
    return undefined;
  return {
    problem: `Given {"cancel":"${id}"} for a call that is not open, it ${await describe(tool, line, timeoutMs)}.`,
    advice: "Ignore it: the call may just have been answered.",
  };
}

function isReplyTo(line: string, call: string | undefined): boolean {
  return call !== undefined && parseObject(line)?.call === call;
}

async function openCallProblem(subject: Subject): Promise<string | undefined> {
  const [args] = await safeCalls(subject);
  if (args === undefined) return undefined;
  const timeoutMs = await patienceFor(subject, args);
  await using tool = await startService(subject);
  const cancelled = tool.send(args);
  tool.cancel(cancelled);
  const told = `Called again with ${JSON.stringify(args)} after the first call was cancelled, it`;
  await repliesTo(tool, [tool.send(args)], told, timeoutMs, [cancelled]);
  return undefined;
}
