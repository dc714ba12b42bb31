import { graceMs, isJsonObject, type JsonObject, readServeReply, serviceNamePattern } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { advice } from "./advice.ts";
import type { Finding } from "./check.ts";
import { quoted } from "./describe-end.ts";
import { isFailure } from "./each-call.ts";
import type { ServedCall, ServedProcess } from "./served-process.ts";
import {
  crashAdvice,
  describe,
  isReady,
  patienceMs,
  type Reply,
  replyAdvice,
  ServingProblem,
  watchMs,
} from "./served-tool.ts";
import type { Subject } from "./subject.ts";

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
