// Evals: tasks for a model that has a tool, and what must be so afterwards. They are JSON files in a folder `evals` beside the tool, one eval
// or several a file; runs that were recorded are in `evals/recorded.json`. In reading order: an eval, a recorded run, and the files.

import { readdirSync, writeFileSync } from "node:fs";
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
  /** Its key among several in a file; else the name of the file. */
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
    .filter((file) => file !== recordedFile)
    .flatMap((file) => evalsIn(join(directory, file)))
    .filter((one) => one.tool === tool);
  if (evals.length === 0)
    throw new Refusal(`There are no evals of ${tool} in ${directory}. What one is: ikigai tool eval --help`);
  const unknown = only.find((id) => !evals.some((one) => one.id === id));
  if (unknown !== undefined)
    throw new Refusal(`No eval ${unknown}. There are ${evals.map(({ id }) => id).join(", ")}.`);
  return only.length === 0 ? evals : evals.filter(({ id }) => only.includes(id));
}

const recordedFile = "recorded.json";

/** Reads the recorded runs of evals, by eval. @throws Refusal if they cannot be used. */
export function readRecordings(directory: string): Readonly<Record<string, Recording>> {
  if (!jsonFilesIn(directory).includes(recordedFile)) return {};
  const path = join(directory, recordedFile);
  const recordings = readObject(path);
  for (const [id, recording] of Object.entries(recordings)) {
    const { model, runs } = isJsonObject(recording) ? recording : {};
    if (typeof model !== "string" || !Array.isArray(runs) || !runs.every(isRun))
      throw new Refusal(`${path}: expected ${id} to have "model" and "runs", as --record writes them.`);
  }
  return recordings as unknown as Readonly<Record<string, Recording>>;
}

/** Writes the recorded runs of an eval, beside those of others. @throws Refusal as `readRecordings` does. */
export function writeRecording(directory: string, id: string, recording: Recording): void {
  const recordings = Object.entries({ ...readRecordings(directory), [id]: recording });
  const lines = recordings.map(([key, one]) => `  ${JSON.stringify(key)}: ${JSON.stringify(one)}`);
  writeFileSync(join(directory, recordedFile), `{\n${lines.join(",\n")}\n}\n`);
}

function isRun(value: JsonValue): boolean {
  if (!isJsonObject(value) || typeof value.answer !== "string" || typeof value.tokens !== "number") return false;
  const { calls } = value;
  return (
    Array.isArray(calls) &&
    calls.every((call) => isJsonObject(call) && typeof call.name === "string" && isJsonObject(call.arguments))
  );
}

/** The evals in a file: itself, or those below `evals`, by their names. */
function evalsIn(path: string): readonly Eval[] {
  const { evals, ...whole } = readObject(path);
  if (evals === undefined) return [readEval(whole, { id: basename(path, ".json"), place: path })];
  if (!isJsonObject(evals)) throw new Refusal(`${path}: expected "evals" to be an object of evals by name.`);
  return Object.entries(evals).map(([id, one]) =>
    readEval({ ...whole, ...(isJsonObject(one) && one) }, { id, place: `${path}: ${id}` }),
  );
}

function readEval(declared: JsonObject, { id, place }: { readonly id: string; readonly place: string }): Eval {
  const { tool, task, files = {}, allow = [], expect } = declared;
  const wrong = (expected: string) => new Refusal(`${place}: expected ${expected}.`);
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
