// Checks of services: one process for all calls of a conversation. First how a check talks with one.

import { graceMs, isJsonObject, type JsonObject, readServeReply, serviceNamePattern } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { leftInGroup } from "../run/run-process.ts";
import { requiredParameters } from "../run/sample-arguments.ts";
import type { ServedCall, ServedProcess } from "../run/served-process.ts";
import type { Subject } from "../run/subject.ts";
import { describeLeft } from "./call-checks.ts";
import { advice, type Finding, type Trial, type Wrong } from "./check.ts";
import { answerOf, describeExit, endAdvice, failure, isFailure, nothingToCall, quoted } from "./each-call.ts";
import {
  brokenFrameProblem,
  crashAdvice,
  describe,
  isReady,
  patienceMs,
  type Reply,
  refusalProblem,
  replyAdvice,
  ServingProblem,
  watchMs,
} from "./served-checks.ts";

/** How long a service may take to get ready, in milliseconds. */
const readyMs = 60_000;

/** The service has said why it cannot start. */
class CannotStart extends Error {}

/** Looks at a tool that declares `service`. A service that cannot start here, and says so, is not tried. */
export function ifService(look: (subject: Subject) => Promise<Finding>): (subject: Subject) => Promise<Finding> {
  return async (subject) => {
    const { ikigai } = await subject.schema();
    if (!isJsonObject(ikigai) || !serviceNamePattern.test(String(ikigai.service ?? "")))
      return { notTried: 'it does not declare "service"' };
    try {
      return await look(subject);
    } catch (error) {
      if (error instanceof CannotStart) return { notTried: error.message };
      if (error instanceof ServingProblem) return { problem: error.message, advice: error.advice };
      throw error;
    }
  };
}

/** Starts a service and waits until it is ready. @throws CannotStart if it says why it is not; ServingProblem otherwise. */
export async function startService(subject: Subject): Promise<ServedProcess> {
  const tool = await subject.serve();
  try {
    await untilReady(tool);
    return tool;
  } catch (error) {
    await tool[Symbol.asyncDispose]();
    throw error;
  }
}

const readyAdvice = advice["service-ready"];

async function untilReady(tool: ServedProcess): Promise<void> {
  const untilMs = performance.now() + readyMs;
  for (;;) {
    const line = await tool.nextLine(Math.max(untilMs - performance.now(), 0));
    const said = parseObject(line ?? "") ?? {};
    const reply = readServeReply(said);
    if (reply && "ready" in reply) return;
    if (reply && "progress" in reply && reply.call === undefined) continue;
    if (!isFailure(said))
      throw new ServingProblem(
        `Started with IKIGAI_SERVE=1 it ${await describe(tool, line, readyMs)} instead of {"ready":true}.`,
        (await crashAdvice(tool)) ?? readyAdvice,
      );
    const { error, error_code: code } = said;
    if (typeof error !== "string" || typeof code !== "string")
      throw new ServingProblem(
        `Instead of {"ready":true} it printed ${quoted(line ?? "")}; expected "error" and "error_code", both strings.`,
        readyAdvice,
      );
    if ((await tool.exitCode(graceMs)) === undefined)
      throw new ServingProblem(
        `It was still running ${graceMs} ms after it had printed ${quoted(line ?? "")} instead of {"ready":true}.`,
        "An error instead of readiness is the answer to the call. Exit after it.",
      );
    throw new CannotStart(`the service cannot start here: ${error} (${code})`);
  }
}

/** Makes a call and waits for its reply, past progress. @throws ServingProblem if the service does something else. */
export async function askService(
  tool: ServedProcess,
  args: JsonObject,
  { timeoutMs = patienceMs, ...call }: ServedCall = {},
): Promise<Reply> {
  const id = tool.send(args, call);
  const replies = await repliesTo(tool, [id], `Called with ${JSON.stringify(args)} in a service, it`, timeoutMs);
  const reply = replies.get(id);
  if (reply === undefined) throw new Error(`No reply to ${id}.`);
  return reply;
}

/** The same for a check that looks at something else: what is wrong with the reply gets advice on replies. @throws ServingProblem. */
export async function askBefore(tool: ServedProcess, args: JsonObject, call: ServedCall): Promise<Reply> {
  try {
    return await askService(tool, args, call);
  } catch (error) {
    if (!(error instanceof ServingProblem) || error.advice !== undefined) throw error;
    throw new ServingProblem(error.message, everyCallAdvice);
  }
}

const everyCallAdvice =
  'Reply to every call, whatever happens in it, with the id of the call: {"call": ID, "answer": {…}}. Exit only when stdin ends or on SIGTERM.';

/**
 * Waits for one reply to each call, past progress.
 *
 * @param told the beginning of a sentence about these calls.
 * @param cancelled calls that may also get a reply.
 * @throws ServingProblem if the service does something else, or nothing for `timeoutMs`.
 */
export async function repliesTo(
  tool: ServedProcess,
  ids: readonly string[],
  told: string,
  timeoutMs = patienceMs,
  cancelled: readonly string[] = [],
): Promise<ReadonlyMap<string, Reply>> {
  const replies = new Map<string, Reply>();
  const known = [...ids, ...cancelled];
  while (!ids.every((id) => replies.has(id))) {
    const line = await tool.nextLine(timeoutMs);
    const said = parseObject(line ?? "") ?? {};
    const isOpen = (id: unknown): id is string => known.some((one) => one === id) && !replies.has(String(id));
    if (!isOpen(said.call))
      throw new ServingProblem(
        `${told} ${await wrongLine(tool, line, { known, missing: ids.filter((id) => !replies.has(id)).length, timeoutMs })}.`,
        await adviceOn(tool, line),
      );
    const reply = readServeReply(said);
    if (reply && "answer" in reply) replies.set(said.call, { answer: reply.answer });
    else if (reply && "refused" in reply) replies.set(said.call, { refused: reply.refused });
    else if (!(reply && "progress" in reply))
      throw new ServingProblem(
        `${told} printed ${quoted(line ?? "")}, without "answer", "refused" and "progress".`,
        replyAdvice,
      );
  }
  return replies;
}

async function wrongLine(
  tool: ServedProcess,
  line: string | undefined,
  { known, missing, timeoutMs }: { known: readonly string[]; missing: number; timeoutMs: number },
): Promise<string> {
  if (isReady(line)) return `said {"ready":true} again; a service says it once`;
  const { call } = parseObject(line ?? "") ?? {};
  if (typeof call === "string" && known.includes(call)) return `replied to the call ${quoted(call)} twice`;
  if (call !== undefined) return `replied to the call ${quoted(String(call))}, which is not open`;
  return `${await describe(tool, line, timeoutMs)} instead of ${missing === 1 ? "a reply" : `${missing} more replies`}`;
}

/** Which advice belongs to a wrong line; `undefined`: that of the check, which knows what the calls tried. */
async function adviceOn(tool: ServedProcess, line: string | undefined): Promise<string | undefined> {
  if (line === undefined) return crashAdvice(tool);
  return parseObject(line)?.call === undefined ? replyAdvice : undefined;
}

/** What a service prints without a call; `undefined` if nothing. */
export async function strayLine(tool: ServedProcess): Promise<string | undefined> {
  const line = await tool.nextLine(watchMs);
  return line && quoted(line);
}

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
