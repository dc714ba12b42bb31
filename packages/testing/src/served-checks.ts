import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import { graceMs, isJsonObject, type JsonObject, progressFd } from "@ikigai/protocol";
import { isLinux, parseObject } from "@ikigai/system";
import type { Finding, Trial, Wrong } from "./check.ts";
import { quoted } from "./describe-end.ts";
import { nothingToCall } from "./each-call.ts";
import type { ServedProcess } from "./served-process.ts";
import {
  brokenFrameProblem,
  extraLine,
  ifServed,
  problemAfter,
  type Reply,
  refusalProblem,
  replyTo,
  startReady,
} from "./served-tool.ts";
import type { Run, Subject } from "./subject.ts";

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
