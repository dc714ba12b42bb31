// One run of an eval, each in a directory of its own: by a model, or again from a recording, which needs none. Both start ikigai itself, as a
// person would. Then the run is judged.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue, textStart } from "@ikigai/protocol";
import { makeDirectories, type ProgramOutput, parseObject, runProgram, temporaryPath } from "@ikigai/system";
import type { Eval, EvalCall, RecordedRun } from "./read-evals.ts";

/** How runs are made. */
export interface RunSettings {
  /** Finds the version of the tool that is tried. */
  readonly env: NodeJS.ProcessEnv;
  /** `--sandbox` and the like, as the user wrote them. */
  readonly sandbox: readonly string[];
  readonly model: string | undefined;
}

/** A run and its result. */
export interface FinishedRun extends RecordedRun {
  /** What is not as the eval expects: a sentence. Absent: the run passed. */
  readonly problem?: string;
}

/** A call with what it gave. */
interface AnsweredCall extends EvalCall {
  readonly envelope: JsonObject;
}

/** Longest run of a model, and longest check, in milliseconds. */
const runMs = 600_000;
const checkMs = 60_000;
/** Most of what is kept of a program's output, in bytes. */
const maxBytes = 16 * 1_048_576;

/** Lets a model do the task. Never rejects, unless the directory cannot be made. */
export function runByModel(one: Eval, settings: RunSettings): Promise<FinishedRun> {
  return inDirectory(one, async (cwd) => {
    const allowed = [one.tool, ...one.allow].flatMap((rule) => ["--allow", rule]);
    const model = settings.model === undefined ? [] : ["--model", settings.model];
    const words = ["-p", "--output-format", "json", ...model, ...settings.sandbox, ...allowed];
    const end = await ikigai(words, { cwd, settings, input: one.task });
    const printed = parseObject(end.stdout.toString("utf8"));
    if (!printed) return { calls: [], answer: "", tokens: 0, problem: `The model did not run: ${lastLine(end)}` };
    const calls = (Array.isArray(printed.tool_calls) ? printed.tool_calls : []).filter(isAnsweredCall);
    const run = {
      calls,
      answer: typeof printed.result === "string" ? printed.result : "",
      tokens: tokensIn(printed.usage),
    };
    const failure = printed.reason === "done" ? undefined : `The conversation ended early: ${printed.reason}.`;
    return finished(run, failure ?? (await problemOf(one, run, { cwd, env: settings.env })));
  });
}

/** Makes the calls of a recorded run again. */
export function runRecorded(one: Eval, recorded: RecordedRun, settings: RunSettings): Promise<FinishedRun> {
  return inDirectory(one, async (cwd) => {
    const calls: AnsweredCall[] = [];
    for (const call of recorded.calls) {
      const words = ["tool", "call", call.name, "-", ...settings.sandbox];
      const end = await ikigai(words, { cwd, settings, input: JSON.stringify(call.arguments) });
      const envelope = parseObject(end.stdout.toString("utf8"));
      if (!envelope) return { ...recorded, problem: `The call of ${call.name} did not run: ${lastLine(end)}` };
      calls.push({ ...call, envelope });
    }
    return finished(recorded, await problemOf(one, { ...recorded, calls }, { cwd, env: settings.env }));
  });
}

function finished({ calls, answer, tokens }: RecordedRun, problem: string | undefined): FinishedRun {
  const made = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  return { calls: made, answer, tokens, ...(problem !== undefined && { problem }) };
}

async function inDirectory(one: Eval, run: (cwd: string) => Promise<FinishedRun>): Promise<FinishedRun> {
  const cwd = mkdtempSync(temporaryPath("eval-"));
  try {
    for (const [path, text] of Object.entries(one.files)) {
      makeDirectories(dirname(join(cwd, path)));
      writeFileSync(join(cwd, path), text);
    }
    return await run(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function ikigai(
  words: readonly string[],
  { cwd, settings, input }: { cwd: string; settings: RunSettings; input: string },
): Promise<ProgramOutput> {
  const [, script = ""] = process.argv;
  const options = { cwd, env: settings.env, input, timeoutMs: runMs, maxBytes };
  return runProgram(process.execPath, [script, ...words], options);
}

function lastLine({ stderr, failure }: ProgramOutput): string {
  return failure ?? stderr.toString("utf8").trim().split("\n").at(-1) ?? "";
}

function isAnsweredCall(value: JsonValue): value is JsonObject & AnsweredCall {
  return (
    isJsonObject(value) &&
    typeof value.name === "string" &&
    isJsonObject(value.arguments) &&
    isJsonObject(value.envelope)
  );
}

/** All that was sent and received, also from the cache. */
function tokensIn(usage: JsonValue | undefined): number {
  const counts = isJsonObject(usage) ? Object.values(usage) : [];
  return counts.reduce<number>((sum, count) => sum + (typeof count === "number" ? count : 0), 0);
}

/** What is not as expected, of a run that has just ended in this directory. */
async function problemOf(
  { tool, expect }: Eval,
  run: RecordedRun,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string | undefined> {
  const { answer, files = {}, calls = [], notCalls = [], result = {}, check } = expect;
  const called = run.calls.map(({ name }) => name);
  const missing = calls.find((name) => !called.includes(name));
  if (missing !== undefined) return `It did not call ${missing}, but ${called.join(", ") || "no tool"}.`;
  const unwanted = notCalls.find((name) => called.includes(name));
  if (unwanted !== undefined) return `It called ${unwanted}.`;
  if (answer !== undefined && !run.answer.toLowerCase().includes(answer.toLowerCase()))
    return `The answer has no ${JSON.stringify(answer)}: ${textStart(run.answer, 200)}`;
  for (const [path, content] of Object.entries(files)) {
    const there = existsSync(join(cwd, path)) ? readFileSync(join(cwd, path), "utf8") : null;
    if (there !== content) return `${path} is ${shown(there)}, expected ${shown(content)}.`;
  }
  const last = run.calls.findLast(({ name }) => name === tool) as AnsweredCall | undefined;
  for (const [path, value] of Object.entries(result)) {
    const given = valueAt(last?.envelope.result, path);
    if (!isDeepStrictEqual(given, value))
      return `${path} in the result of ${tool} is ${JSON.stringify(given)}, expected ${JSON.stringify(value)}.`;
  }
  if (!check) return undefined;
  const end = await runProgram("sh", ["-c", check.command], { cwd, env, timeoutMs: checkMs, maxBytes });
  const { exitCode = 0 } = check;
  return end.exitCode === exitCode
    ? undefined
    : `The exit code of ${check.command} is ${end.exitCode}, expected ${exitCode}: ${lastLine(end)}`;
}

function shown(content: string | null): string {
  return content === null ? "missing" : JSON.stringify(textStart(content, 200));
}

function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split(".").reduce<JsonValue | undefined>((part, key) => {
    if (Array.isArray(part)) return part[Number(key)];
    return isJsonObject(part) ? part[key] : undefined;
  }, value);
}
