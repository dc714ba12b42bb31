import { availableParallelism, loadavg } from "node:os";
import {
  isJsonObject,
  isOlderForm,
  type JsonObject,
  maxSchemaBytes,
  readToolSchema,
  schemaTimeoutMs,
  textStart,
  toolNamePattern,
} from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";
import { schemaProblem } from "@ikigai/system/json-schema";
import type { Trial, Wrong } from "./check.ts";
import { describeExit, endAdvice, quoted } from "./describe-end.ts";
import { extensionProblems } from "./extension-problems.ts";
import { runProcess, toolName } from "./run-process.ts";
import { objectSchemaOf, parametersOf } from "./sample-arguments.ts";
import { type Run, type Subject, schemaPatienceMs } from "./subject.ts";
import { tempDir } from "./temp-dir.ts";

/** Checks of the schema. */
export const schemaChecks: readonly Trial[] = [
  {
    id: "schema",
    level: "must",
    title: "prints one JSON object for --schema, and exits with 0",
    needs: "starts",
    look: async (subject) => badSchema(await subject.printSchema()),
  },
  {
    id: "schema-time",
    level: "must",
    title: `prints its schema within ${schemaTimeoutMs} ms`,
    needs: "schema",
    look: slowSchema,
  },
  {
    id: "schema-environment",
    level: "must",
    title: "needs no credentials, configuration or home directory for --schema",
    needs: "schema",
    async look({ path }) {
      const env = { PATH: process.env.PATH };
      const options = { cwd: await tempDir(), env, timeoutMs: schemaPatienceMs, stdin: "" };
      const problem = badSchema(await runProcess(path, ["--schema"], options));
      if (problem === undefined) return undefined;
      return `With PATH as the only environment variable: ${typeof problem === "string" ? problem : problem.problem}`;
    },
  },
  {
    id: "schema-stable",
    level: "must",
    title: "prints the same schema every time, because hosts cache it",
    needs: "schema",
    async look(subject) {
      const [first, second] = [await subject.printSchema(), await subject.printSchema(true)];
      if (first.stdout.equals(second.stdout)) return undefined;
      const [one, other] = differingParts(first.stdout.toString("utf8"), second.stdout.toString("utf8"));
      return `Two runs printed different schemas: ${one} and ${other}.`;
    },
  },
  {
    id: "schema-size",
    level: "must",
    title: `has a schema of at most ${maxSchemaBytes} bytes`,
    needs: "schema",
    async look(subject) {
      const { length } = (await subject.printSchema()).stdout;
      return length > maxSchemaBytes ? `The schema has ${length} bytes.` : undefined;
    },
  },
  {
    id: "description",
    level: "must",
    title: "has a description, so that a model knows when to call it",
    needs: "schema",
    async look(subject) {
      const { description } = await subject.schema();
      if (typeof description === "string" && description.trim() !== "") return undefined;
      return `Expected "description" to be a sentence, got ${JSON.stringify(description) ?? "nothing"}.`;
    },
  },
  {
    id: "name",
    level: "must",
    title: "has a name in its schema",
    needs: "schema",
    async look(subject) {
      const { name } = await subject.schema();
      if (typeof name === "string") return undefined;
      return `Hosts reject the schema: expected "name" to be a string, got ${JSON.stringify(name) ?? "nothing"}.`;
    },
  },
  {
    id: "name-matches",
    level: "should",
    title: "has the same name in its schema as in its file name",
    needs: "name",
    async look(subject) {
      const { name } = await subject.schema();
      const expected = toolName(subject.path);
      if (!toolNamePattern.test(expected)) return { notTried: "its file name gives no valid name" };
      if (name === expected) return undefined;
      return `Expected "name" to be "${expected}", got ${JSON.stringify(name)}.`;
    },
  },
  {
    id: "parameters",
    level: "must",
    title: "describes its parameters with a JSON Schema of type object",
    needs: "schema",
    async look(subject) {
      // Name and description have checks of their own.
      const declared = { ...(await subject.schema()), name: "", description: "" };
      const reading = readToolSchema(declared, toolName(subject.path));
      if ("problem" in reading) return `Hosts reject it: ${reading.problem}.`;
      return schemaProblem(reading.schema.parameters, "parameters");
    },
  },
  {
    id: "parameters-form",
    level: "should",
    title: "describes its parameters with a JSON Schema, not in the older form",
    needs: "parameters",
    async look(subject) {
      const parameters = parametersOf(await subject.schema());
      if (!isJsonObject(parameters)) return undefined;
      if (!isOlderForm(parameters)) return schemaProblem(parameters, "parameters");
      return "The parameters are in the older form, a map of parameters.";
    },
  },
  {
    id: "required-listed",
    level: "should",
    title: "describes every required parameter",
    needs: "parameters",
    look: async (subject) => missingProperty(objectSchemaOf(await subject.schema())),
  },
  {
    id: "output-schema",
    level: "should",
    title: "has a valid JSON Schema of its answer, if it has one",
    needs: "schema",
    async look(subject) {
      const { outputSchema, returns = outputSchema } = await subject.schema();
      if (returns === undefined) return { notTried: "it has no outputSchema" };
      return schemaProblem(returns, outputSchema === undefined ? "returns" : "outputSchema");
    },
  },
  {
    id: "schema-keys",
    level: "should",
    title: "has no unknown keys and no invalid values in its schema",
    needs: "schema",
    look: async (subject) => extensionProblems(await subject.schema()),
  },
];

function badSchema(end: Omit<Run, "durationMs" | "queuedMs">): Wrong | undefined {
  if (end.timedOut) return { problem: `It was still running after ${schemaPatienceMs} ms.`, advice: hangingSchema };
  if (end.exitCode !== 0 || end.flooded)
    return { problem: `It ${describeExit(end)}.`, advice: endAdvice(end) ?? noSchema };
  // As a host reads it: bytes that are not UTF-8 are not JSON.
  const reading = readJsonObject(end.stdout);
  if (reading.ok) return undefined;
  const got = quoted(end.stdout.toString("utf8"));
  const where = end.stdout.length === 0 ? "" : `: ${reading.problem}`;
  return `Expected one JSON object and nothing else on stdout, got ${got}${where}.`;
}

const hangingSchema =
  "It usually begins its work before it looks at its arguments. If the first one is --schema, print the schema and exit before anything else.";

const noSchema =
  "Without a schema, no host loads the tool. If the first argument is --schema, print the schema and exit with 0.";

function missingProperty({ required, properties = {} }: JsonObject): string | undefined {
  if (!Array.isArray(required) || !isJsonObject(properties)) return undefined;
  const name = required.find((candidate) => !Object.hasOwn(properties, String(candidate)));
  return name === undefined ? undefined : `"required" names ${JSON.stringify(name)}, which is not a property.`;
}

/** How much of two texts is quoted from the first difference on, in characters. */
const shownLength = 40;

function differingParts(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - shownLength / 2);
  return [one, other].map((text) => `…${textStart(text.slice(from), shownLength).toWellFormed().trimEnd()}…`) as [
    string,
    string,
  ];
}

/** How many runs a tool has to be fast enough, and how many on a busy machine. */
const attempts = 5;
const attemptsWhenBusy = 20;

/** On a busy machine, no run starts after this time in total. */
const patienceMs = 30_000;

/** From this many runs on, a tool that takes more than twice the limit, and more than the load explains, is too slow. */
const hopelessRuns = 3;

/** The runs of `--schema` so far. */
interface SchemaRuns {
  readonly count: number;
  /** Without the time in which other processes kept the processors busy. */
  readonly fastestMs: number;
  readonly totalMs: number;
}

/** Runs `--schema` until it meets the time limit; says how long the fastest run took if all were slower. */
async function slowSchema(subject: Subject): Promise<string | undefined> {
  const first = await subject.printSchema();
  let runs: SchemaRuns = { count: 1, fastestMs: ownMs(first), totalMs: first.durationMs };
  while (isWorthAnotherRun(runs, loadPerProcessor())) {
    const run = await subject.printSchema(true);
    const { count, fastestMs, totalMs } = runs;
    runs = { count: count + 1, fastestMs: Math.min(fastestMs, ownMs(run)), totalMs: totalMs + run.durationMs };
  }
  const { count, fastestMs } = runs;
  return fastestMs > schemaTimeoutMs
    ? `It took ${Math.round(fastestMs)} ms in the fastest of ${count} runs.`
    : undefined;
}

function ownMs({ durationMs, queuedMs }: Run): number {
  return durationMs - queuedMs;
}

/** Whether another run could meet the limit, on a machine with this many waiting processes for each processor. */
export function isWorthAnotherRun({ count, fastestMs, totalMs }: SchemaRuns, load: number): boolean {
  if (fastestMs <= schemaTimeoutMs) return false;
  if (count >= hopelessRuns && fastestMs > 2 * schemaTimeoutMs * Math.max(1, load)) return false;
  return load > 1 ? count < attemptsWhenBusy && totalMs < patienceMs : count < attempts;
}

function loadPerProcessor(): number {
  return (loadavg()[0] ?? 0) / availableParallelism();
}
