import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { parseObject, tellingLine } from "@ikigai/system";
import { type Finding, firstLine, quoted } from "./check.ts";
import type { ServedProcess } from "./served-process.ts";
import type { Subject } from "./subject.ts";

/** How long a process may take to say that it is ready, to reply or to exit, in milliseconds: enough for a busy machine. */
export const patienceMs = 10_000;

/** How long to watch a process that is ready for further output, in milliseconds. */
export const watchMs = 200;

/** What a tool did instead of what the protocol says: a sentence. */
export class ServingProblem extends Error {}

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
      if (error instanceof ServingProblem) return error.message;
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
  await tool[Symbol.asyncDispose]();
  throw new ServingProblem(`Started with IKIGAI_SERVE=1 it ${event} instead of {"ready":true}.`);
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
  const fail = (what: string) =>
    new ServingProblem(`Called with ${JSON.stringify(args)} in a served process, it ${what}.`);
  if (call === undefined) throw fail(`${await describe(tool, line)} instead of a reply`);
  if (call !== id) throw fail(`replied to the call ${quoted(String(call))} instead of ${quoted(id)}`);
  if (isJsonObject(answer)) return { answer };
  if (typeof refused === "string") return { refused };
  throw fail(`printed ${quoted(line ?? "")}, without "answer" and "refused"`);
}

/** Waits until the tool is ready again; says what it does instead. */
export async function problemAfter(tool: ServedProcess, args: JsonObject): Promise<string | undefined> {
  const line = await tool.nextLine(patienceMs);
  if (isReady(line)) return undefined;
  return `After a call with ${JSON.stringify(args)} it ${await describe(tool, line)} instead of {"ready":true}.`;
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
  const reason = firstLine(tellingLine(tool.stderr()));
  return `exited with code ${exitCode}${reason === "" ? "" : ` (stderr: ${quoted(firstLine(reason))})`}`;
}
