import { graceMs, isJsonObject, type JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { advice } from "./advice.ts";
import type { Finding, Wrong } from "./check.ts";
import { endAdvice, exitWords, quoted } from "./describe-end.ts";
import { requiredParameters } from "./sample-arguments.ts";
import type { ServedProcess } from "./served-process.ts";
import type { Subject } from "./subject.ts";

/** How long a process may take to say that it is ready, to reply or to exit, in milliseconds: enough for a busy machine. */
export const patienceMs = 10_000;

/** How long to watch a process that is ready for further output, in milliseconds. */
export const watchMs = 200;

/** What a tool did instead of what the protocol says: a sentence, and what to do. */
export class ServingProblem extends Error {
  readonly advice: string | undefined;

  constructor(message: string, advice?: string) {
    super(message);
    this.advice = advice;
  }
}

/** What a reply says. */
export type Reply = { readonly answer: JsonObject } | { readonly refused: string };

/** Looks at a tool that declares `serves`; a service has other rules. */
export function ifServed(look: (subject: Subject) => Promise<Finding>): (subject: Subject) => Promise<Finding> {
  return async (subject) => {
    const { ikigai } = await subject.schema();
    if (!isJsonObject(ikigai) || ikigai.serves !== true || ikigai.service !== undefined)
      return { notTried: 'it does not declare "serves"' };
    try {
      return await look(subject);
    } catch (error) {
      if (error instanceof ServingProblem) return { problem: error.message, advice: error.advice };
      throw error;
    }
  };
}

/** Starts the tool and waits until it is ready. @throws ServingProblem if it does something else. */
export async function startReady(subject: Subject): Promise<ServedProcess> {
  const tool = await subject.serve();
  const line = await tool.nextLine(patienceMs);
  if (isReady(line)) return tool;
  const event = await describe(tool, line);
  const why = await crashAdvice(tool);
  await tool[Symbol.asyncDispose]();
  throw new ServingProblem(
    `Started with IKIGAI_SERVE=1 it ${event} instead of {"ready":true}.`,
    why ?? advice["serves-ready"],
  );
}

/** The first line that a ready process prints without a call. */
export function extraLine(tool: ServedProcess): Promise<string | undefined> {
  return tool.nextLine(watchMs);
}

/** Makes a call and returns what the tool replies. @throws ServingProblem if that is not a reply. */
export async function replyTo(tool: ServedProcess, args: JsonObject, env?: Record<string, string>): Promise<Reply> {
  const id = `kit-${tool.pid}-${performance.now()}`;
  const line = await tool.call(args, { id, ...(env && { env }), timeoutMs: patienceMs });
  const { call, answer, refused } = parseObject(line ?? "") ?? {};
  const fail = (what: string, why = replyAdvice) =>
    new ServingProblem(`Called with ${JSON.stringify(args)} in a served process, it ${what}.`, why);
  if (call === undefined) throw fail(`${await describe(tool, line)} instead of a reply`, await crashAdvice(tool));
  if (call !== id) throw fail(`replied to the call ${quoted(String(call))} instead of ${quoted(id)}`);
  if (isJsonObject(answer)) return { answer };
  if (typeof refused === "string") return { refused };
  throw fail(`printed ${quoted(line ?? "")}, without "answer" and "refused"`);
}

/** What a reply has to be. */
export const replyAdvice =
  'Print one line {"call": ID, "answer": {…}} or {"call": ID, "refused": "…"} with the id of the call, and flush stdout.';

/** Waits until the tool is ready again; says what it does instead. */
export async function problemAfter(tool: ServedProcess, args: JsonObject): Promise<Wrong | undefined> {
  const line = await tool.nextLine(patienceMs);
  if (isReady(line)) return undefined;
  return {
    problem: `After a call with ${JSON.stringify(args)} it ${await describe(tool, line)} instead of {"ready":true}.`,
    advice: (await crashAdvice(tool)) ?? againAdvice,
  };
}

const againAdvice =
  'Print {"ready":true} after each reply, flush stdout, and wait for the next call; if it has to end after a call, remove "serves".';

/** What to do about a process that a signal has killed; `undefined` otherwise. */
export async function crashAdvice(tool: ServedProcess): Promise<string | undefined> {
  const exitCode = await tool.exitCode(0);
  return exitCode === undefined ? undefined : endAdvice({ exitCode, timedOut: false, flooded: false });
}

/** Whether a line says that the process accepts a call. */
export function isReady(line: string | undefined): boolean {
  return parseObject(line ?? "")?.ready === true;
}

/** What a process did: what it printed, how it exited, or that it did nothing. */
export async function describe(tool: ServedProcess, line: string | undefined, waitedMs = patienceMs): Promise<string> {
  if (line !== undefined) return `printed ${quoted(line)}`;
  const exitCode = await tool.exitCode(watchMs);
  const rest = tool.unfinished();
  if (exitCode === undefined)
    return rest === ""
      ? `printed nothing within ${Math.round(waitedMs)} ms`
      : `printed ${quoted(rest)} without a newline after it`;
  return exitWords(exitCode, tool.stderr());
}

/** How to call one kind of process that answers several calls. Each function throws a `ServingProblem` for anything but a reply. */
export interface Wire {
  start(subject: Subject): Promise<ServedProcess>;
  reply(tool: ServedProcess, args: JsonObject): Promise<Reply>;
  /** What is wrong after a reply. */
  problemAfter(tool: ServedProcess, args: JsonObject): Promise<Wrong | undefined>;
}

/** Calls without a required parameter; without one, `{}` would be a real call. */
export async function refusalProblem(subject: Subject, wire: Wire): Promise<Wrong | undefined> {
  if (requiredParameters(await subject.schema()).length === 0) return undefined;
  const { exitCode, stderr } = await subject.refuse("{}");
  const expected = stderr.toString("utf8").replace(/\n$/, "");
  await using tool = await wire.start(subject);
  const reply = await wire.reply(tool, {});
  // Another check reports a tool that does not reject it.
  if (exitCode === 0) return undefined;
  if (!("refused" in reply))
    return `Called with {} it answered ${quoted(JSON.stringify(reply.answer))} instead of "refused".`;
  if (reply.refused !== expected)
    return `Called with {} it refused with ${quoted(reply.refused)}, and with one process per call with ${quoted(expected)}.`;
  return await wire.problemAfter(tool, {});
}

/** Writes a frame that is not JSON. */
export async function brokenFrameProblem(subject: Subject, start: Wire["start"]): Promise<Wrong | undefined> {
  await using tool = await start(subject);
  tool.write("{\n");
  const line = await tool.nextLine();
  const exitCode = await tool.exitCode(graceMs);
  if (line !== undefined) return `Given the frame { it printed ${quoted(line)} instead of exiting with 1.`;
  if (exitCode === undefined) return `Given the frame { it was still running ${graceMs} ms later.`;
  if (exitCode !== 1)
    return `Given the frame { it ${exitWords(exitCode, tool.stderr())} instead of exiting with code 1.`;
  return tool.stderr().trim() === "" ? "Given the frame { it printed no reason on stderr." : undefined;
}
