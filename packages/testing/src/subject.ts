import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { defaultTimeoutMs, isJsonObject, type JsonObject, maxTimeoutMs } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { valueProblem } from "./json-schema.ts";
import { objectSchemaOf } from "./parameters-of.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import { sampleArguments } from "./sample-arguments.ts";
import { differences, stampsIn } from "./stamps-in.ts";
import { tempDir } from "./temp-dir.ts";
import { toolEnvironment } from "./tool-environment.ts";

/** With what a tool is tried. */
export interface SubjectOptions {
  /** Arguments that the tool has to answer. Without them only a tool that says it is harmless is called for real. */
  readonly calls?: readonly JsonObject[] | undefined;
  /** Whether the `examples` of the tool's parameters may be called, although it does not say that it is harmless. */
  readonly callExamples?: boolean | undefined;
  /** Where it is called; an empty directory unless told. */
  readonly cwd?: string | undefined;
}

/** How a run ended, and what else was seen of it. */
export interface Run extends ProcessEnd {
  readonly durationMs: number;
}

/** How a tool ended that was given no input for a while, and the files it had made by then. */
export interface IdleRun extends Run {
  readonly madeFiles: readonly string[];
}

/** How a call ended, and the names of the files that are not as they were before it. */
export interface AnswerRun extends Run {
  readonly changedFiles: readonly string[];
}

/** A tool that is being tried. Whatever is asked twice is run once. */
export interface Subject {
  readonly path: string;
  /** `--schema`, with nothing on stdin. `fresh` asks again. */
  printSchema(fresh?: boolean): Promise<Run>;
  /** What it says of itself; empty when it says nothing that can be read. */
  schema(): Promise<JsonObject>;
  /** A call with this on stdin that it has to refuse, in an empty directory. */
  refuse(stdin: string): Promise<Run>;
  /** A call with arguments that it has to answer, and the files that were made or changed where it was called. */
  answer(
    args: JsonObject,
    env?: NodeJS.ProcessEnv,
    inputOf?: (args: JsonObject) => string | readonly string[],
  ): Promise<AnswerRun>;
  /** A call with arguments that it has to answer, and SIGTERM in the middle of it. */
  stop(args: JsonObject, afterMs: number): Promise<Run>;
  /** Started, and given nothing on a stdin that stays open, until it is told to stop. */
  idle(): Promise<IdleRun>;
  /** The calls that it may be given for real; empty when nothing shows that they would do no harm. */
  calls(): Promise<readonly JsonObject[]>;
}

/** How long `--schema` is waited for, in milliseconds: longer than a host does, to tell what is slow from what hangs. */
export const schemaPatienceMs = 5_000;

/** How long a call that a tool has to refuse may take, in milliseconds. */
export const refusalMs = 5_000;

/** How long a tool that waits for its input is left alone, in milliseconds: an interpreter has started by then. */
const idleMs = 400;

/** On a slow or busy machine it takes longer: this many times as long as it took to print the schema. */
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
        return { ...run, changedFiles: differences(before, stampsIn(cwd)) };
      }),
    stop: async (args, timeoutMs) =>
      timed(path, [], { cwd: options.cwd ?? (await tempDir()), timeoutMs, stdin: JSON.stringify(args) }),
    idle: () => once("idle", async () => idle(path, await subject.printSchema())),
    calls: async () => options.calls ?? harmlessCalls(await subject.schema(), options.callExamples === true),
  };
  return subject;
}

/** Whether a tool says that it only reads, and stays on this machine. */
export function isHarmless({ annotations }: JsonObject): boolean {
  return isJsonObject(annotations) && annotations.readOnlyHint === true && annotations.openWorldHint === false;
}

/** A tool may do anything at all, so it is called only when it says that it does no harm, or when somebody vouches for it. */
function harmlessCalls(schema: JsonObject, isVouchedFor: boolean): readonly JsonObject[] {
  const { examples } = objectSchemaOf(schema);
  const listed = Array.isArray(examples) ? examples.filter(isJsonObject) : [];
  if (listed.length > 0 && (isVouchedFor || isHarmless(schema))) return listed;
  const sample = sampleArguments(schema);
  return isHarmless(schema) && valueProblem(objectSchemaOf(schema), sample, "") === undefined ? [sample] : [];
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
  const end = await runProcess(path, args, { ...options, env: { ...toolEnvironment(), ...env }, callId });
  return { ...end, durationMs: performance.now() - startedAtMs };
}

/** As a host starts a tool ahead of its call, in a directory and a home in which it shows what has been made. */
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
