// The tool that is checked, with the runs that several checks look at.

import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  defaultTimeoutMs,
  isJsonObject,
  type JsonObject,
  maxTimeoutMs,
  readToolSchema,
  type ToolSchema,
} from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { valueProblem } from "@ikigai/system/json-schema";
import { type ProcessEnd, runProcess, toolEnvironment, toolName } from "./run-process.ts";
import { objectSchemaOf, sampleArguments } from "./sample-arguments.ts";
import { type ServedProcess, startServed } from "./served-process.ts";
import { tempDir } from "./temp-dir.ts";

/** What a tool is called with. */
export interface SubjectOptions {
  /** Arguments that the tool must answer. Without them, only a tool that declares itself harmless gets real calls. */
  readonly calls?: readonly JsonObject[] | undefined;
  /** Whether to call it with the `examples` of its parameters, even if it does not declare itself harmless. */
  readonly callExamples?: boolean | undefined;
  /** The working directory of these calls (default: an empty directory). */
  readonly cwd?: string | undefined;
  /** Makes a call in a sandbox in which the tool has exactly what it needs. Absent: that is not tried. */
  readonly inSandbox?: ((tool: SandboxedTool, args: JsonObject, cwd: string) => Promise<SandboxedEnd>) | undefined;
}

/** A tool to be called in a sandbox. */
export interface SandboxedTool {
  readonly path: string;
  readonly name: string;
  readonly schema: ToolSchema;
}

/** How a call in a sandbox ended. */
export type SandboxedEnd =
  /** The reason why there is no sandbox: the end of a sentence. */
  | { readonly notTried: string }
  | {
      /** What the tool said, if it failed. */
      readonly failure?: string | undefined;
      /** What it needs and does not declare, as far as it is known: `the host api.example.com ("hosts")`. */
      readonly lacks: readonly string[];
    };

/** How a run ended, and how long it took. */
export interface Run extends ProcessEnd {
  readonly durationMs: number;
  /** How much of that it was ready to run while the processors were busy with others, as far as the system tells. */
  readonly queuedMs: number;
}

/** How a tool ended that got no input for a while, and the files it created until then. */
interface IdleRun extends Run {
  readonly madeFiles: readonly string[];
}

/** How a call ended, its working directory, and the names of the files it created or changed there. */
export interface AnswerRun extends Run {
  readonly cwd: string;
  readonly changedFiles: readonly string[];
}

/** A tool under test. The same run is done only once. */
export interface Subject {
  readonly path: string;
  /** Runs `--schema` with an empty stdin. `fresh` runs it again. */
  printSchema(fresh?: boolean): Promise<Run>;
  /** Its schema; empty if it is unreadable. */
  schema(): Promise<JsonObject>;
  /** Makes a call that it must reject, in an empty directory. */
  refuse(stdin: string): Promise<Run>;
  /** Makes a call that it must answer, and notes the files it created or changed in its working directory. */
  answer(
    args: JsonObject,
    env?: NodeJS.ProcessEnv,
    inputOf?: (args: JsonObject) => string | readonly string[],
  ): Promise<AnswerRun>;
  /** Makes a call that it must answer once more, in the directory of `serve`. */
  answerAgain(args: JsonObject): Promise<Run>;
  /** Starts it to serve several calls, in the directory of the calls, otherwise in an empty one. */
  serve(): Promise<ServedProcess>;
  /** Makes a call that it must answer in a sandbox; `undefined` if no one makes such calls. */
  answerInside(args: JsonObject): Promise<SandboxedEnd | undefined>;
  /** Makes a call that it must answer, and sends SIGTERM midway. */
  stop(args: JsonObject, afterMs: number): Promise<Run>;
  /** Starts it with an open, empty stdin, and stops it after a while. */
  idle(): Promise<IdleRun>;
  /** The calls that were asked for. */
  readonly given: readonly JsonObject[];
  /** Runs a plain tool, or the program for it, with these words. */
  runPlain(bin: string, words: readonly string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<Run>;
  /** The real calls; empty if nothing shows that they are harmless. */
  calls(): Promise<readonly JsonObject[]>;
  /** Why there is no real call, and how to make one. */
  whyNoCalls(): Promise<string>;
}

/** How long `--schema` may take, in milliseconds: longer than for a host, to tell slow tools from hanging ones. */
export const schemaPatienceMs = 5_000;

/** How long a rejected call may take, in milliseconds. */
export const refusalMs = 5_000;

/** How long to watch a tool that waits for input, in milliseconds: enough for an interpreter to start. */
const idleMs = 400;

/** On a slow or busy machine, watch this many times as long as the schema took. */
const idleFactor = 8;
const maxIdleMs = 4_000;

export function openSubject(bin: string, options: SubjectOptions = {}): Subject {
  const path = resolve(bin);
  const known = new Map<string, Promise<Run>>();
  const once = <Result extends Run>(key: string, run: () => Promise<Result>): Promise<Result> => {
    const result = known.get(key) ?? run();
    known.set(key, result);
    return result as Promise<Result>;
  };
  let directory = options.cwd;
  const servedDirectory = async () => {
    directory ??= await tempDir();
    return directory;
  };
  const subject: Subject = {
    path,
    printSchema(fresh = false) {
      const run = () => timed(path, ["--schema"], { timeoutMs: schemaPatienceMs, stdin: "" });
      return fresh ? run() : once("--schema", run);
    },
    schema: async () => parseObject((await subject.printSchema()).stdout.toString("utf8")) ?? {},
    refuse: (stdin) =>
      once(`refuse ${stdin}`, async () => timed(path, [], { cwd: await tempDir(), timeoutMs: refusalMs, stdin })),
    answer: (args, env = {}, inputOf = JSON.stringify) =>
      once(`answer ${JSON.stringify([inputOf(args), env])}`, async () => {
        const cwd = options.cwd ?? (await tempDir());
        const before = stampsIn(cwd);
        const timeoutMs = timeoutOf(await subject.schema());
        const run = await timed(path, [], { cwd, timeoutMs, stdin: inputOf(args), env });
        return { ...run, cwd, changedFiles: differences(before, stampsIn(cwd)) };
      }),
    async answerAgain(args) {
      const timeoutMs = timeoutOf(await subject.schema());
      return timed(path, [], { cwd: await servedDirectory(), timeoutMs, stdin: JSON.stringify(args) });
    },
    async answerInside(args) {
      const name = toolName(path);
      const reading = readToolSchema(await subject.schema(), name);
      if (!("schema" in reading)) return undefined;
      const cwd = options.cwd ?? (await tempDir());
      return options.inSandbox?.({ path, name, schema: reading.schema }, args, cwd);
    },
    serve: async () => startServed(path, { cwd: await servedDirectory() }),
    stop: async (args, timeoutMs) =>
      timed(path, [], { cwd: options.cwd ?? (await tempDir()), timeoutMs, stdin: JSON.stringify(args) }),
    idle: () => once("idle", async () => idle(path, await subject.printSchema())),
    given: options.calls ?? [],
    runPlain: async (bin, words, env, timeoutMs) =>
      timed(bin, words, { cwd: options.cwd ?? (await tempDir()), timeoutMs, stdin: "", env }),
    calls: async () => options.calls ?? harmlessCalls(await subject.schema(), options.callExamples === true),
    whyNoCalls: async () => (options.calls ? "none was given" : whyNoCalls(await subject.schema())),
  };
  return subject;
}

/** Whether a tool declares that it only reads and stays on this machine. */
export function isHarmless({ annotations }: JsonObject): boolean {
  return isJsonObject(annotations) && annotations.readOnlyHint === true && annotations.openWorldHint === false;
}

/** A tool can do anything, so real calls need its own declaration that it is harmless, or the caller's arguments. */
function harmlessCalls(schema: JsonObject, isVouchedFor: boolean): readonly JsonObject[] {
  const examples = examplesOf(schema);
  if (examples.length > 0 && (isVouchedFor || isHarmless(schema))) return examples;
  return isHarmless(schema) && sampleProblem(schema) === undefined ? [sampleArguments(schema)] : [];
}

function whyNoCalls(schema: JsonObject): string {
  if (!isHarmless(schema)) {
    const how = examplesOf(schema).length > 0 ? "--examples, or --call '{…}'" : "--call '{…}'";
    return `the schema does not declare readOnlyHint: true and openWorldHint: false. To make one: ${how}`;
  }
  return `arguments made from the schema do not fit it: ${sampleProblem(schema)} List some in "examples" of the parameters: "examples": [{…}]. To make one now: --call '{…}'`;
}

function examplesOf(schema: JsonObject): readonly JsonObject[] {
  const { examples } = objectSchemaOf(schema);
  return Array.isArray(examples) ? examples.filter(isJsonObject) : [];
}

/** Why the arguments made from a schema do not fit it. */
function sampleProblem(schema: JsonObject): string | undefined {
  return valueProblem(objectSchemaOf(schema), sampleArguments(schema), "parameters");
}

function timeoutOf({ ikigai }: JsonObject): number {
  const asked = isJsonObject(ikigai) && typeof ikigai.timeoutMs === "number" ? ikigai.timeoutMs : defaultTimeoutMs;
  return Math.min(asked, maxTimeoutMs);
}

interface TimedOptions {
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly stdin: string | readonly string[] | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

async function timed(path: string, args: readonly string[], { env, ...options }: TimedOptions): Promise<Run> {
  const startedAtMs = performance.now();
  const callId = randomUUID();
  let queueTime = () => 0;
  const onStart = (pid: number) => {
    queueTime = measureQueueTime(pid);
  };
  const end = await runProcess(path, args, { ...options, env: { ...toolEnvironment(), ...env }, callId, onStart });
  return { ...end, durationMs: performance.now() - startedAtMs, queuedMs: queueTime() };
}

/** Starts a tool as a host does ahead of a call, with an empty working and home directory to see what it creates. */
async function idle(path: string, { stdout, durationMs, timedOut }: Run): Promise<IdleRun> {
  const { ikigai } = parseObject(stdout.toString("utf8")) ?? {};
  const timeoutMs = timedOut ? idleMs : Math.min(Math.max(idleMs, idleFactor * durationMs), maxIdleMs);
  const cwd = await tempDir({ "work/": "", "home/": "" });
  const isAhead = isJsonObject(ikigai) && ikigai.prestart === true;
  const env = isAhead ? { HOME: `${cwd}/home`, IKIGAI_PRESTART: "1" } : {};
  const run = await timed(path, [], { cwd: `${cwd}/work`, timeoutMs, stdin: undefined, env });
  const madeFiles = ["work", "home"].flatMap((dir) => readdirSync(`${cwd}/${dir}`));
  return { ...run, madeFiles };
}

/** How often to look, in milliseconds: what is missed after the last look is short. */
const pollMs = 10;

/**
 * Starts to measure how long a process is ready to run while the processors are busy with others. Linux only; 0 elsewhere.
 *
 * @returns a function that ends it and returns the time in milliseconds, at most that: children of the process are not counted.
 */
export function measureQueueTime(pid: number): () => number {
  let queuedMs = 0;
  const look = () => {
    queuedMs = readQueueMs(pid) ?? queuedMs;
  };
  const timer = setInterval(look, pollMs);
  return () => {
    clearInterval(timer);
    return queuedMs;
  };
}

/** Reads the second field of `/proc/PID/schedstat`, in nanoseconds. */
function readQueueMs(pid: number): number | undefined {
  try {
    const queuedMs = Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
    return Number.isFinite(queuedMs) ? queuedMs : undefined;
  } catch {
    return undefined;
  }
}

/** The most files to look at; the first ones in the file system's order. */
const maxFiles = 10_000;

/** A stamp per file below a directory, which differs if the file was created, changed or replaced. */
function stampsIn(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).slice(0, maxFiles);
  return new Map(names.map((name) => [name, stampOf(join(directory, name))]));
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // The entries of a directory have their own stamps.
  return stat ? `${stat.mode} ${stat.isDirectory() ? "" : `${stat.ino} ${stat.size} ${stat.mtimeMs}`}` : "";
}

/** The names whose stamps differ. */
function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}
