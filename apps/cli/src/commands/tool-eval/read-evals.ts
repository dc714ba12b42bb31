// Evals: tasks for a model that has a tool, and what must be so afterwards. They are JSON files in a folder `evals` beside the tool; runs that were
// recorded are in `evals/recorded`. In reading order: an eval, a recorded run, and the files.

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { parseObject, readRegularFile, systemReason } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";

/** What must be so after a run. */
export interface Expectation {
  /** A text that the model's answer has, whatever its case. */
  readonly answer?: string;
  /** Files with exactly this content; `null`: there is no such file. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Tools that are called. */
  readonly calls?: readonly string[];
  /** Tools that are not called. */
  readonly notCalls?: readonly string[];
  /** Values in the result of the tool's last call, by paths such as `matches.0.line`. */
  readonly result?: JsonObject;
  /** A command for `sh`, in the directory of the run, and its exit code (default: 0). */
  readonly check?: { readonly command: string; readonly exitCode?: number };
}

/** A task and what must be so afterwards. */
export interface Eval {
  /** The name of its file. */
  readonly id: string;
  readonly tool: string;
  /** What the model is asked. */
  readonly task: string;
  /** What is in the directory before the run. */
  readonly files: Readonly<Record<string, string>>;
  /** Rules for other calls that the run may make; the tool itself may be called. */
  readonly allow: readonly string[];
  readonly expect: Expectation;
}

/** A call as a model made it. */
export interface EvalCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What a model did: enough to do the same again without one. */
export interface RecordedRun {
  readonly calls: readonly EvalCall[];
  readonly answer: string;
  readonly tokens: number;
}

/** The recorded runs of an eval. */
export interface Recording {
  readonly model: string;
  readonly runs: readonly RecordedRun[];
}

/**
 * Reads the evals of a tool, by name.
 *
 * @param directory the folder `evals`.
 * @throws Refusal if it finds none, or one cannot be used.
 */
export function readEvals(directory: string, tool: string, only: readonly string[]): readonly Eval[] {
  const evals = jsonFilesIn(directory)
    .map((file) => readEval(join(directory, file)))
    .filter((one) => one.tool === tool);
  if (evals.length === 0)
    throw new Refusal(`There are no evals of ${tool} in ${directory}. What one is: ikigai tool eval --help`);
  const unknown = only.find((id) => !evals.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new Refusal(`No eval ${unknown}. There are ${evals.map(({ id }) => id).join(", ")}.`);
  return only.length === 0 ? evals : evals.filter(({ id }) => only.includes(id));
}

/** Reads the recorded runs of an eval; `undefined` if it has no such file. @throws Refusal if they cannot be used. */
export function readRecording(directory: string, id: string): Recording | undefined {
  const path = recordingPath(directory, id);
  if (!jsonFilesIn(join(directory, "recorded")).includes(basename(path))) return undefined;
  const { model, runs } = readObject(path);
  if (typeof model !== "string" || !Array.isArray(runs) || !runs.every(isRun))
    throw new Refusal(`${path}: expected "model" and "runs", as --record writes them.`);
  return { model, runs: runs as unknown as readonly RecordedRun[] };
}

export function recordingPath(directory: string, id: string): string {
  return join(directory, "recorded", `${id}.json`);
}

function isRun(value: JsonValue): boolean {
  if (!isJsonObject(value) || typeof value.answer !== "string" || typeof value.tokens !== "number") return false;
  const { calls } = value;
  return (
    Array.isArray(calls) &&
    calls.every((call) => isJsonObject(call) && typeof call.name === "string" && isJsonObject(call.arguments))
  );
}

function readEval(path: string): Eval {
  const { tool, task, files = {}, allow = [], expect } = readObject(path);
  const wrong = (expected: string) => new Refusal(`${path}: expected ${expected}.`);
  if (typeof tool !== "string") throw wrong('"tool" to be the name of a tool');
  if (typeof task !== "string" || task === "") throw wrong('"task" to be a text for the model');
  if (!isJsonObject(files) || !Object.values(files).every((text) => typeof text === "string"))
    throw wrong('"files" to be an object of texts by path');
  if (!isTexts(allow)) throw wrong('"allow" to be a list of rules, such as "bash(ls *)"');
  const outside = [...Object.keys(files), ...Object.keys((isJsonObject(expect) && expect.files) || {})].find(leadsOut);
  if (outside !== undefined) throw wrong(`paths within the directory of the run, not ${outside}`);
  if (!isJsonObject(expect) || Object.keys(expect).length === 0) throw wrong('"expect" to be an object');
  const problem = Object.entries(expect).find(([key, value]) => !expectations[key]?.(value));
  if (problem)
    throw wrong(
      `"expect" to have ${Object.keys(expectations).join(", ")}, not ${JSON.stringify(problem[0])} like this`,
    );
  const id = basename(path, ".json");
  return { id, tool, task, files: files as Record<string, string>, allow, expect: expect as unknown as Expectation };
}

const expectations: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  answer: (value) => typeof value === "string",
  files: (value) => isJsonObject(value) && Object.values(value).every((one) => one === null || typeof one === "string"),
  calls: isTexts,
  notCalls: isTexts,
  result: isJsonObject,
  check: (value) => isJsonObject(value) && typeof value.command === "string",
};

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Whether a path leads out of the directory. */
function leadsOut(path: string): boolean {
  return path.startsWith("/") || path.split("/").includes("..");
}

function readObject(path: string): JsonObject {
  let text: string;
  try {
    text = readRegularFile(path).toString("utf8");
  } catch (error) {
    throw new Refusal(`${path}: ${systemReason(error as NodeJS.ErrnoException)}.`);
  }
  const value = parseObject(text);
  if (value === undefined) throw new Refusal(`${path}: expected one JSON object.`);
  return value;
}

function jsonFilesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((file) => file.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}
