import { graceMs, type JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import type { Finding, Trial, Wrong } from "./check.ts";
import { describeExit, endAdvice, quoted } from "./describe-end.ts";
import { answerOf, failure, isFailure, nothingToCall } from "./each-call.ts";
import { describeLeft } from "./process-checks.ts";
import { leftInGroup } from "./process-group.ts";
import { requiredParameters } from "./sample-arguments.ts";
import type { ServedProcess } from "./served-process.ts";
import { brokenFrameProblem, describe, patienceMs, refusalProblem, watchMs } from "./served-tool.ts";
import { askBefore, askService, ifService, repliesTo, startService, strayLine } from "./service-tool.ts";
import type { Subject } from "./subject.ts";

/** How many calls overlap. */
const overlapping = 4;

/** A tool that no service has. */
const unknownTool = "no_such_tool";

/** How to call a service. */
const serviceWire = { start: startService, reply: askService, problemAfter: async () => undefined };

/** Checks of a process with state, which answers the calls of a conversation. */
export const serviceChecks: readonly Trial[] = [
  {
    id: "service-ready",
    level: "must",
    title: 'says once that it is ready, or why it cannot start, if it declares "service"',
    needs: "schema",
    look: ifService(async (subject) => {
      await using tool = await startService(subject);
      const line = await strayLine(tool);
      return line && `After {"ready":true} it printed ${line} without a call.`;
    }),
  },
  {
    id: "service-refuses",
    level: "must",
    title: "refuses an invalid call to its service, and exits with 1 if a frame is broken",
    needs: "service-ready",
    look: ifService(
      async (subject) => (await refusalProblem(subject, serviceWire)) ?? brokenFrameProblem(subject, startService),
    ),
  },
  {
    id: "service-tools",
    level: "must",
    title: "refuses a call to its service for a tool that it does not have",
    needs: "service-refuses",
    look: ifService(async (subject) => {
      const [args] = await subject.calls();
      if (args === undefined) return nothingToCall(subject);
      await using tool = await startService(subject);
      const reply = await askService(tool, args, { tool: unknownTool, timeoutMs: await patienceFor(subject, args) });
      if ("refused" in reply) return undefined;
      return `Called for the tool "${unknownTool}" it answered ${quoted(JSON.stringify(reply.answer))}.`;
    }),
  },
  {
    id: "service-parallel",
    level: "must",
    title: "replies once to each of the calls to its service that overlap",
    needs: "service-refuses",
    look: ifService(overlapProblem),
  },
  {
    id: "service-cancels",
    level: "must",
    title: "continues after a call to its service was cancelled",
    needs: "service-refuses",
    look: ifService(cancelProblem),
  },
  {
    id: "service-ends",
    level: "must",
    title: `ends its service within ${graceMs} ms at the end of its input, or on SIGTERM`,
    needs: "service-ready",
    look: ifService(async (subject) => (await endProblem(subject, endOfInput)) ?? endProblem(subject, sigterm)),
  },
  {
    id: "works-without-service",
    level: "must",
    title: 'works without its service, with one process per call, if it declares "service"',
    needs: "service-ready",
    look: ifService(withoutServiceProblem),
  },
];

async function overlapProblem(subject: Subject): Promise<Finding> {
  const calls = await safeCalls(subject);
  const [first] = calls;
  if (first === undefined) return nothingToCall(subject);
  await using tool = await startService(subject);
  const ids = Array.from({ length: overlapping }, (_, index) => tool.send(calls[index % calls.length]));
  const told = `Called ${overlapping} times at once, first with ${JSON.stringify(first)}, it`;
  await repliesTo(tool, ids, told, await patienceFor(subject, first));
  const line = await strayLine(tool);
  if (line === undefined) return undefined;
  return {
    problem: `After its replies to ${overlapping} calls it printed ${line}.`,
    advice: "A line that is not a reply ends the service. Print nothing but replies and their progress.",
  };
}

/** A way to end a service, and what its author has to know of it. */
interface Ending {
  readonly event: string;
  readonly advice: string;
  end(tool: ServedProcess): void;
}

const endOfInput: Ending = {
  event: "its input ended",
  advice: "Exit at the end of stdin: the host may be gone.",
  end: (tool) => tool.closeInput(),
};

const sigterm: Ending = {
  event: "SIGTERM",
  advice: "Exit on SIGTERM, or do not catch it.",
  end: ({ pid }) => process.kill(pid, "SIGTERM"),
};

async function endProblem(subject: Subject, { event, advice, end }: Ending): Promise<Wrong | undefined> {
  await using tool = await startService(subject);
  const [args] = await safeCalls(subject);
  if (args !== undefined) await askBefore(tool, args, { timeoutMs: await patienceFor(subject, args) });
  end(tool);
  const exitCode = await tool.exitCode(graceMs);
  if (exitCode === undefined) return { problem: `It was still running ${graceMs} ms after ${event}.`, advice };
  const [left] = await leftInGroup(tool.pid);
  return left && `${describeLeft(left)} was still running after the service had exited.`;
}

/** Calls a new service and a new process: if only the service can do it, other hosts cannot use the tool. */
async function withoutServiceProblem(subject: Subject): Promise<Finding> {
  const calls = await subject.calls();
  if (calls.length === 0) return nothingToCall(subject);
  for (const args of calls) {
    const run = await subject.answer(args);
    const told = `Called with ${JSON.stringify(args)} and one process per call`;
    if (failure(run) !== undefined) return { problem: `${told}, it ${describeExit(run)}.`, advice: endAdvice(run) };
    const alone = answerOf(run);
    if (alone === undefined || !isFailure(alone)) continue;
    await using tool = await startService(subject);
    const reply = await askBefore(tool, args, { timeoutMs: await patienceFor(subject, args) });
    if ("answer" in reply && !isFailure(reply.answer))
      return `${told}, it failed with ${quoted(String(alone.error))}; its service answered.`;
  }
  return undefined;
}

/** Cancels a call that is not open, and then one that is. */
async function cancelProblem(subject: Subject): Promise<Wrong | undefined> {
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

/** How many times as long as with one process per call a reply may take: overlapping calls share the processor. */
const patienceFactor = 8;

/** Calls that do no harm: the real ones, otherwise one without its required parameters, which is refused. */
async function safeCalls(subject: Subject): Promise<readonly JsonObject[]> {
  const calls = await subject.calls();
  if (calls.length > 0) return calls;
  return requiredParameters(await subject.schema()).length > 0 ? [{}] : [];
}

/** How long to wait for the reply to a call, in milliseconds. */
async function patienceFor(subject: Subject, args: JsonObject): Promise<number> {
  const { durationMs } = await subject.answer(args);
  return Math.max(patienceMs, patienceFactor * durationMs);
}
