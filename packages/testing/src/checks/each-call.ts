// What several checks share: how a run ended, in words, and what is wrong with the answer of each call.

import { constants } from "node:os";
import { isJsonObject, type JsonObject, textStart } from "@ikigai/protocol";
import { parseObject, tellingLine } from "@ikigai/system";
import type { ProcessEnd } from "../run/run-process.ts";
import type { AnswerRun, Run, Subject } from "../run/subject.ts";
import type { Finding, Wrong } from "./check.ts";

/** What usually causes a call to hang, and what to do. */
export const hangAdvice =
  "It usually waits for more input: read stdin until it ends, once. Otherwise it waits for a terminal, a lock, a reply or a process that it has started.";

/** What a shell adds to the number of a signal for the exit code. */
const signalBase = 128;

/** Describes how a run ended, as the end of a sentence about the tool. */
export function describeExit({ exitCode, stderr, flooded, timedOut }: ProcessEnd): string {
  if (flooded) return "was stopped because it printed without end";
  if (timedOut) return "was still running when its time was over";
  return exitWords(exitCode, stderr.toString("utf8"));
}

/** Describes an exit code, 128+N after signal N, with the most informative line of stderr. */
export function exitWords(exitCode: number, stderr: string): string {
  const name = signalName(exitCode);
  const end =
    name === undefined ? `exited with code ${exitCode}` : `was killed by signal ${exitCode - signalBase} (${name})`;
  const reason = firstLine(tellingLine(stderr));
  return `${end}${reason === "" ? "" : ` (stderr: ${quoted(reason)})`}`;
}

/** What to do about an end; `undefined` if it has no cause of its own. */
export function endAdvice({
  exitCode,
  timedOut,
  flooded,
  stderr,
}: Pick<ProcessEnd, "exitCode" | "timedOut" | "flooded"> & Partial<Pick<ProcessEnd, "stderr">>): string | undefined {
  if (flooded) return "It usually prints in a loop that never ends. Print one JSON object and exit.";
  if (timedOut) return hangAdvice;
  const complaint = exitCode === 0 ? "" : (stderr?.toString("utf8") ?? "");
  if (streamNames.test(complaint)) return streamAdvice;
  if (closedDescriptor.test(complaint)) return descriptorAdvice;
  const name = signalName(exitCode);
  return (
    name && `${signalCauses[name] ?? "A program sent it this signal."} Run it by hand with the same input to see where.`
  );
}

/** The names of the standard streams, which a failed attempt to open one prints. */
const streamNames = /\/dev\/(?:stdin|stdout|stderr|fd\/[012])\b|\/proc\/self\/fd\/[012]\b/;

const streamAdvice =
  "A host may pass sockets, which cannot be opened by name. Use the streams themselves: cat instead of cat /dev/stdin, jq . instead of jq . /dev/stdin, and >&2 instead of > /dev/stderr.";

/** How shells, Python and Node describe a descriptor that is not open. */
const closedDescriptor = /\bEBADF\b|bad file descriptor/i;

const descriptorAdvice =
  "If it writes progress: descriptor 3 is open only if IKIGAI_PROGRESS_FD is set, so write it only then.";

/** The signals of a crash, and what usually causes them. */
const signalCauses: Readonly<Record<string, string>> = {
  SIGABRT: "A failed assertion or allocation aborts a program.",
  SIGBUS: "Compiled code used memory that does not exist.",
  SIGFPE: "Compiled code divided by zero.",
  SIGILL: "It may be built for another processor.",
  SIGKILL: "The system kills a program that takes too much memory.",
  SIGPIPE: "It wrote to a program that had already exited.",
  SIGSEGV: "Compiled code used memory that it does not have.",
};

/** The signal that an exit code stands for. */
function signalName(exitCode: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === exitCode - signalBase)?.[0];
}

/** The longest quote of a tool's output, in characters. */
const maxQuotedLength = 160;

/** The first line that is not blank, cut to fit into a sentence. */
export function firstLine(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.length > maxQuotedLength ? `${textStart(line, maxQuotedLength)}…` : line;
}

/** Marks where a tool's output begins and ends inside a sentence; "nothing" for empty output. */
export function quoted(text: string): string {
  const line = firstLine(text);
  if (line === "") return "nothing";
  return line.includes('"') ? `'${line}'` : `"${line}"`;
}

/** How the reason begins why a check is skipped that needs a real call. */
export const needsCall = "needs a real call, and ";

/** Says why there is no real call. */
export async function nothingToCall(subject: Subject): Promise<Finding> {
  return { notTried: `${needsCall}${await subject.whyNoCalls()}` };
}

/** Says what is wrong, as a part of a sentence. */
type Judge<What> = (what: What, args: JsonObject) => Wrong | undefined | Promise<Wrong | undefined>;

/** Describes the first wrong answer, if any. */
export async function eachCall(subject: Subject, judge: Judge<AnswerRun>): Promise<Finding> {
  const calls = await subject.calls();
  for (const args of calls) {
    const run = await subject.answer(args);
    const wrong = await judge(run, args);
    if (wrong === undefined) continue;
    const { problem, advice } = typeof wrong === "string" ? { problem: wrong } : wrong;
    const limit = run.timedOut ? await ownLimit(subject) : undefined;
    const words = [limit, advice].filter((one) => one !== undefined).join(" ");
    return { problem: `Called with ${JSON.stringify(args)}: ${problem}.`, ...(words !== "" && { advice: words }) };
  }
  return calls.length === 0 ? nothingToCall(subject) : undefined;
}

/** Says that the tool itself has asked for so little time, perhaps in another unit. */
async function ownLimit(subject: Subject): Promise<string | undefined> {
  const { ikigai } = await subject.schema();
  const timeoutMs = isJsonObject(ikigai) ? ikigai.timeoutMs : undefined;
  return typeof timeoutMs === "number" ? `Its schema gives it ${timeoutMs} ms ("ikigai.timeoutMs").` : undefined;
}

export function eachAnswer(subject: Subject, judge: Judge<Printed>): Promise<Finding> {
  return eachCall(subject, ({ stdout }, args) => judge(takeApart(stdout.toString("utf8")), args));
}

export function failure(run: Run): Wrong | undefined {
  if (run.timedOut) {
    const after = `still running after ${Math.round(run.durationMs)} ms`;
    if (answerOf(run) === undefined) return { problem: `it was ${after}`, advice: hangAdvice };
    return { problem: `it answered, but was ${after}`, advice: lingeringAdvice };
  }
  if (run.exitCode === 0) return undefined;
  const isSilent = run.stderr.toString("utf8").trim() === "";
  return { problem: `it ${describeExit(run)}`, advice: endAdvice(run) ?? (isSilent ? silentAdvice : undefined) };
}

const lingeringAdvice =
  "The host waits for its end, then kills it. Exit after the answer: close timers, connections and files that keep it running, and stop the processes that it has started.";

const silentAdvice =
  'If only the operation failed, answer {"error": "…", "error_code": "…"} and exit with 0. Otherwise correct the tool: it says nothing on stderr, so run it by hand with the same input to see where it fails.';

/** Describes a difference in the answer when these fields, which should make none, are added to a call. */
export function changed(subject: Subject, args: JsonObject, fields: JsonObject): Promise<Wrong | undefined> {
  const whole = { ...args, ...fields };
  return differs(subject, args, () => subject.answer(whole), `with ${JSON.stringify(fields)} added,`);
}

/** Describes a difference in the answer when the same call is written in another way; `added` names the way. */
export async function differs(
  subject: Subject,
  args: JsonObject,
  repeat: () => Promise<Run>,
  added: string,
): Promise<Wrong | undefined> {
  const answer = answerOf(await subject.answer(args));
  const run = await repeat();
  const other = answerOf(run);
  // The same input was answered when written otherwise, so a hang has another cause than usual.
  if (run.timedOut || run.exitCode !== 0)
    return { problem: `${added} it ${describeExit(run)}`, advice: run.timedOut ? undefined : endAdvice(run) };
  if (!answer || isFailure(answer)) return undefined;
  if (!other) return `${added} it printed ${quoted(run.stdout.toString("utf8"))} instead of one JSON object`;
  return isFailure(other) ? `${added} it failed: ${firstLine(JSON.stringify(other.error))}` : undefined;
}

/** The object that a call printed last. */
export function answerOf({ stdout }: Run): JsonObject | undefined {
  return takeApart(stdout.toString("utf8")).objects.at(-1);
}

export function isFailure({ error }: JsonObject): boolean {
  return error !== undefined && error !== null;
}

/** The JSON objects in a tool's output, and the text around them. */
export interface Printed {
  readonly objects: readonly JsonObject[];
  readonly rest: string;
}

/** Finds the objects in output that should be one object. A list of objects counts as none: it is a different answer, not noise. */
export function takeApart(text: string): Printed {
  const whole = parseObject(text);
  if (whole) return { objects: [whole], rest: "" };
  if (isJson(text)) return { objects: [], rest: text };
  const objects: JsonObject[] = [];
  let rest = "";
  let attempts = 0;
  for (let at = 0; at < text.length; ) {
    const end = text[at] === "{" && ++attempts <= maxAttempts ? endOfObject(text, at) : undefined;
    const object = end === undefined ? undefined : parseObject(text.slice(at, end));
    if (object) objects.push(object);
    else rest += text[at];
    at = object && end !== undefined ? end : at + 1;
  }
  // An object on one line that cannot be parsed: what is inside of it is not the answer.
  if (rest.trim() !== "" && /^\s*\{.*\}\s*$/.test(text)) return { objects: [], rest: text.trim() };
  return { objects, rest: rest.trim() };
}

/** The most braces to try: text with many unclosed braces would take too long. */
const maxAttempts = 1_000;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bracesAndStrings = /[{}]|"(?:[^"\\]|\\.)*"/gs;

/** The end of the object that begins here, if it has one. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  bracesAndStrings.lastIndex = start;
  for (let token = bracesAndStrings.exec(text); token; token = bracesAndStrings.exec(text)) {
    if (token[0] === "{") depth++;
    if (token[0] === "}" && --depth === 0) return bracesAndStrings.lastIndex;
  }
  return undefined;
}
