// Checks of a tool that answers several calls in one process. First what they and the checks of services share.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { graceMs, isJsonObject, type JsonObject, progressFd } from "@ikigai/protocol";
import { isLinux, parseObject } from "@ikigai/system";
import { requiredParameters } from "../run/sample-arguments.ts";
import type { ServedProcess } from "../run/served-process.ts";
import type { Run, Subject } from "../run/subject.ts";
import { advice, type Finding, type Trial, type Wrong } from "./check.ts";
import { endAdvice, exitWords, nothingToCall, quoted } from "./each-call.ts";

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

/** A limit for one call that the next must not see, in bytes. */
const smallLimit = { IKIGAI_MAX_OUTPUT_BYTES: "200" };

/** How many calls show a leak. */
const leakCalls = 3;

/** How to call a tool that serves calls one after the other. */
const servedWire = { start: startReady, reply: replyTo, problemAfter };

/** Checks of a process that answers several calls. */
export const servedChecks: readonly Trial[] = [
  {
    id: "serves-ready",
    level: "must",
    title: 'says that it is ready if it declares "serves", and prints nothing else without a call',
    needs: "schema",
    look: ifServed(async (subject) => {
      await using tool = await startReady(subject);
      const line = await extraLine(tool);
      return line === undefined ? undefined : `After {"ready":true} it printed ${quoted(line)} without a call.`;
    }),
  },
  {
    id: "serves-refuses",
    level: "must",
    title: "refuses an invalid call in a served process, and exits with 1 if a frame is broken",
    needs: "serves-ready",
    look: ifServed(
      async (subject) => (await refusalProblem(subject, servedWire)) ?? brokenFrameProblem(subject, startReady),
    ),
  },
  {
    id: "serves-ends",
    level: "must",
    title: `ends within ${graceMs} ms when its input ends or on SIGTERM, if it is ready`,
    needs: "serves-ready",
    look: ifServed(async (subject) => {
      const atEnd = await isGone(subject, (tool) => tool.closeInput());
      if (!atEnd) return `It was still running ${graceMs} ms after its input ended.`;
      const onSignal = await isGone(subject, ({ pid }) => process.kill(pid, "SIGTERM"));
      return onSignal ? undefined : `It was still running ${graceMs} ms after SIGTERM.`;
    }),
  },
  {
    id: "serves-like-one-shot",
    level: "must",
    title: "answers in a served process as it does with one process per call",
    needs: "serves-ready",
    look: ifServed(likeOneShot),
  },
  {
    id: "serves-no-state",
    level: "must",
    title: "keeps no state of a call in a served process",
    needs: "serves-like-one-shot",
    look: ifServed(async (subject) => {
      const calls = await subject.calls();
      return calls.length === 0 ? nothingToCall(subject) : traceProblem(subject, calls);
    }),
  },
];

async function isGone(subject: Subject, end: (tool: ServedProcess) => void): Promise<boolean> {
  await using tool = await startReady(subject);
  end(tool);
  return (await tool.exitCode(graceMs)) !== undefined;
}

/** Makes each call, the next one with a small limit, and the first one again, all in one process as long as it lives. */
async function likeOneShot(subject: Subject): Promise<Finding> {
  const calls = await subject.calls();
  if (calls.length === 0) return nothingToCall(subject);
  const varies = await variesOf(subject);
  let tool = await startReady(subject);
  let compared = 0;
  let callsBefore = 0;
  try {
    for (const [index, args] of calls.entries()) {
      const expected = await repeatedAnswer(subject, args, varies);
      if (expected === undefined) continue;
      compared++;
      const between = calls[(index + 1) % calls.length] ?? args;
      for (const [turn, env] of [[args], [between, smallLimit], [args]] as const) {
        const given = comparable(await replyTo(tool, turn, env), varies);
        if (turn === args && env === undefined && given !== expected)
          return differentAnswer(args, given, expected, callsBefore);
        callsBefore++;
        const problem = await problemAfter(tool, turn);
        if (problem !== undefined) {
          // A process that has ended leaves the other calls to the next one; one that hangs would hang each time.
          if ((await tool.exitCode(0)) === undefined) return problem;
          await tool[Symbol.asyncDispose]();
          tool = await startReady(subject);
          callsBefore = 0;
        }
      }
    }
  } finally {
    await tool[Symbol.asyncDispose]();
  }
  return compared > 0
    ? undefined
    : { notTried: 'no call gives the same answer twice; name the fields that differ in "varies"' };
}

function differentAnswer(args: JsonObject, given: string, expected: string, callsBefore: number): Wrong {
  const when =
    callsBefore === 0 ? "as the first call" : `after ${callsBefore} other call${callsBefore === 1 ? "" : "s"}`;
  const problem = `Called with ${JSON.stringify(args)} ${when} in a served process, it answered ${quoted(given)}; in a process of its own, ${quoted(expected)}.`;
  return callsBefore === 0 ? problem : { problem, advice: keptState };
}

const keptState =
  'It keeps state from an earlier call, usually in a variable outside the function that answers, or in the environment. Set it again for each call, or remove "serves"; if the state is wanted, declare "service" instead.';

async function variesOf(subject: Subject): Promise<readonly string[]> {
  const { ikigai } = await subject.schema();
  const { varies } = isJsonObject(ikigai) ? ikigai : {};
  return Array.isArray(varies) ? varies.map(String) : [];
}

/** The answer with one process per call; `undefined` if it fails or a second call differs. */
async function repeatedAnswer(
  subject: Subject,
  args: JsonObject,
  varies: readonly string[],
): Promise<string | undefined> {
  const [first, second] = [await subject.answerAgain(args), await subject.answerAgain(args)].map((run) =>
    answerIn(run, varies),
  );
  return first === second ? first : undefined;
}

function answerIn({ exitCode, stdout }: Run, varies: readonly string[]): string | undefined {
  const answer = exitCode === 0 ? parseObject(stdout.toString("utf8")) : undefined;
  return answer && comparable({ answer }, varies);
}

function comparable(reply: Reply, varies: readonly string[]): string {
  if ("refused" in reply) return reply.refused;
  return JSON.stringify(Object.fromEntries(Object.entries(reply.answer).filter(([name]) => !varies.includes(name))));
}

async function traceProblem(subject: Subject, calls: readonly JsonObject[]): Promise<Wrong | undefined> {
  await using tool = await startReady(subject);
  const states = [servedState(tool.pid)];
  const turns = Array.from(
    { length: Math.max(leakCalls, calls.length) + 1 },
    (_, index) => calls[index % calls.length] ?? {},
  );
  for (const args of turns) {
    await replyTo(tool, args);
    const problem = await problemAfter(tool, args);
    if (problem !== undefined) return problem;
    states.push(servedState(tool.pid));
  }
  const [first, afterFirst] = states;
  const later = states.at(-1);
  const difference = first && afterFirst && later && stateProblem(first, afterFirst, later);
  if (difference !== undefined) return `After ${turns.length} calls in a served process, ${difference}.`;
  if (!tool.killLeftovers()) return undefined;
  return {
    problem: "A process that a call started was still running when the tool was ready again.",
    advice: "The host kills such a process, and its work is lost. Stop it, or wait for it, before the reply.",
  };
}

/** What the system shows of a process that waits for its next call. */
export interface ServedState {
  /** What has to be the same before every call, in words. */
  readonly fixed: Readonly<Record<string, string>>;
  /** The signals that do not have their default effect, as bits: signal N is bit N - 1. */
  readonly handledSignals: bigint;
  readonly descriptors: readonly string[];
}

/** Reads the state of a process; `undefined` on systems other than Linux. */
export function servedState(pid: number): ServedState | undefined {
  if (!isLinux) return undefined;
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? "";
  return {
    fixed: {
      "the working directory": readlinkSync(`/proc/${pid}/cwd`),
      "the umask": field("Umask"),
      [`descriptor ${progressFd}`]: linkOf(pid, String(progressFd)),
    },
    handledSignals: (BigInt(`0x${field("SigCgt")}`) | BigInt(`0x${field("SigIgn")}`)) & ~childSignal,
    descriptors: descriptorsOf(pid),
  };
}

/** Those that hold state: not one that was closed while they were listed, nor the one that Node keeps in reserve from its first stream on. */
function descriptorsOf(pid: number): string[] {
  const open = readdirSync(`/proc/${pid}/fd`)
    .map((name) => [name, linkOf(pid, name)] as const)
    .filter(([, target]) => target !== closed);
  const reserve = open.find(([name, target]) => target === "/dev/null" && Number(name) > progressFd);
  return open.filter((one) => one !== reserve).map(([name, target]) => `${name} (${target})`);
}

/** What is different after later calls: the end of a sentence. The first call may load what stays. */
export function stateProblem(first: ServedState, afterFirst: ServedState, later: ServedState): string | undefined {
  const changed = Object.keys(first.fixed).find((what) => later.fixed[what] !== first.fixed[what]);
  if (changed !== undefined)
    return `${changed} changed from ${first.fixed[changed] || "nothing"} to ${later.fixed[changed] || "nothing"}`;
  const handled = later.handledSignals & ~first.handledSignals;
  if (handled !== 0n) return `${signalNames(handled)} is still caught or ignored`;
  const opened = later.descriptors.filter((descriptor) => !afterFirst.descriptors.includes(descriptor));
  // Numbers alone do not show a leak: another file may have been opened under the same one.
  const more = later.descriptors.length - afterFirst.descriptors.length;
  return more > 0 ? `${more} more descriptors are open: ${opened.slice(0, 3).join(", ")}` : undefined;
}

/** SIGCHLD is caught as long as a child process is awaited. */
const childSignal = 1n << BigInt(constants.signals.SIGCHLD - 1);

function signalNames(mask: bigint): string {
  const names = Object.entries(constants.signals).filter(([, number]) => (mask >> BigInt(number - 1)) & 1n);
  return names.map(([name]) => name).join(", ");
}

/** Stands for the target of a descriptor that is not open. */
const closed = "closed";

function linkOf(pid: number, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return closed;
  }
}
