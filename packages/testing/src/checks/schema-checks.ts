// Checks of what a tool prints for --schema. First what the keys of its object `ikigai` must be.

import { availableParallelism, loadavg } from "node:os";
import {
  accessParameterKeys,
  hostMethods,
  isJsonObject,
  isOlderForm,
  type JsonObject,
  type JsonValue,
  maxMaxOutputBytes,
  maxSchemaBytes,
  maxTimeoutMs,
  optionalParameterKeys,
  readToolNeeds,
  readToolSchema,
  schemaTimeoutMs,
  serviceNamePattern,
  textStart,
  toolNamePattern,
} from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";
import { schemaProblem } from "@ikigai/system/json-schema";
import { runProcess, toolName } from "../run/run-process.ts";
import { objectSchemaOf, parameterCalled, parametersOf } from "../run/sample-arguments.ts";
import { type Run, type Subject, schemaPatienceMs } from "../run/subject.ts";
import { tempDir } from "../run/temp-dir.ts";
import type { Trial, Wrong } from "./check.ts";
import { describeExit, endAdvice, quoted } from "./each-call.ts";

/** What a value must be, in words and as a test. */
interface Kind {
  readonly words: string;
  readonly fits: (value: JsonValue, schema: JsonObject) => boolean;
}

/** The keys that an object may have. */
type Keys = Readonly<Record<string, Kind>>;

const string: Kind = { words: "a string", fits: (value) => typeof value === "string" };
const boolean: Kind = { words: "true or false", fits: (value) => typeof value === "boolean" };
const object: Kind = { words: "an object", fits: isJsonObject };
const anything: Kind = { words: "anything", fits: () => true };

const schemaKeys: Keys = {
  name: string,
  title: string,
  description: string,
  parameters: object,
  inputSchema: object,
  outputSchema: object,
  returns: object,
  annotations: object,
  ikigai: object,
  // From MCP's tool object, which is a valid schema. Hosts ignore these keys.
  icons: anything,
  execution: anything,
  _meta: anything,
};

const annotationKeys: Keys = {
  title: string,
  readOnlyHint: boolean,
  destructiveHint: boolean,
  idempotentHint: boolean,
  openWorldHint: boolean,
};

const ikigaiKeys: Keys = {
  version: string,
  timeoutMs: integerUpTo(maxTimeoutMs),
  timeoutArgument: { words: "the name of a parameter that is a number", fits: isNumericParameter },
  maxOutputBytes: integerUpTo(maxMaxOutputBytes),
  answerBytes: integerUpTo(maxMaxOutputBytes),
  needs: object,
  prestart: boolean,
  serves: boolean,
  service: {
    words: "a name of letters, digits, dots, dashes and underscores, at most 64 long",
    fits: (value) => typeof value === "string" && serviceNamePattern.test(value),
  },
  agent: boolean,
  host: { words: `a list of methods of the host (${hostMethods.join(", ")})`, fits: isMethodList },
  jobs: boolean,
  state: boolean,
  varies: { words: "a list of fields of the answer", fits: isTextList },
  catalog: boolean,
  defer: boolean,
  diagnostics: object,
  access: object,
};

/**
 * Describes each unknown key, invalid value and pair of keys that do not work together outside the parameters, one line each; `undefined`
 * if all are fine.
 */
export function extensionProblems(schema: JsonObject): string | undefined {
  const problems = [
    ...keyProblems(schema, schemaKeys, "", schema),
    ...keyProblems(schema.annotations, annotationKeys, "annotations.", schema),
    ...keyProblems(schema.ikigai, ikigaiKeys, "ikigai.", schema),
    ...needsProblems(schema.ikigai),
    ...accessProblems(schema),
    ...contradictions(schema.ikigai),
  ];
  return problems.length === 0 ? undefined : problems.join("\n");
}

function keyProblems(value: JsonValue | undefined, keys: Keys, path: string, schema: JsonObject): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => {
    const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (kind === undefined) return [`"${path}${key}" is unknown${suggestion(key, keys, path)}.`];
    if (kind.fits(entry, schema)) return [];
    return [`Expected "${path}${key}" to be ${kind.words}, got ${JSON.stringify(entry)}.`];
  });
}

/** A host refuses a schema with such needs. */
function needsProblems(ikigai: JsonValue | undefined): string[] {
  if (!isJsonObject(ikigai) || !isJsonObject(ikigai.needs)) return [];
  const reading = readToolNeeds(ikigai.needs);
  return "problem" in reading ? [`${reading.problem}.`] : [];
}

/** What a process gets only for a call of its own: a grant is that of one call, and so is the descriptor for requests. */
function contradictions(ikigai: JsonValue | undefined): string[] {
  if (!isJsonObject(ikigai)) return [];
  const several = ikigai.service !== undefined ? "service" : ikigai.serves === true ? "serves" : undefined;
  const withAgents = ikigai.agent === true && several !== undefined;
  const withRequests = Array.isArray(ikigai.host) && ikigai.service !== undefined;
  return [
    ...(withAgents
      ? [`"ikigai.agent" never works with "ikigai.${several}": a host lets only a process with one call start agents.`]
      : []),
    ...(withRequests
      ? ['"ikigai.host" never works with "ikigai.service": a host answers only a process with one call.']
      : []),
  ];
}

function suggestion(key: string, keys: Keys, path: string): string {
  const wanted = normalise(key);
  const near = Object.keys(keys).find(
    (candidate) =>
      isNear(normalise(candidate), wanted) || (wanted.length >= 4 && normalise(candidate).startsWith(wanted)),
  );
  if (path === "ikigai." && needLists.includes(key)) return `; it belongs in "ikigai.needs"`;
  if (near !== undefined) return `; perhaps you mean "${near}"`;
  return path === "" && Object.hasOwn(ikigaiKeys, key) ? `; it belongs in "ikigai"` : "";
}

function normalise(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, "");
}

const needLists = ["hosts", "read", "write", "env"];

/** Whether two words differ by at most one added, missing, changed or swapped letter. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [restOfA, restOfB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isSwap = restOfA.length === 2 && restOfA === [...restOfB].reverse().join("");
  return isSwap || Math.max(restOfA.length, restOfB.length) <= 1;
}

function integerUpTo(limit: number): Kind {
  return {
    words: `an integer from 1 to ${limit}`,
    fits: (value) => typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= limit,
  };
}

function isTextList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function isMethodList(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((entry) => hostMethods.some((method) => method === entry));
}

function isNumericParameter(name: JsonValue, schema: JsonObject): boolean {
  const property = parameterCalled(name, schema);
  return isJsonObject(property) && (property.type === "integer" || property.type === "number");
}

/** Describes what is wrong with `ikigai.access` of a schema, one sentence each. */
function accessProblems(schema: JsonObject): string[] {
  const { ikigai } = schema;
  if (!isJsonObject(ikigai) || !isJsonObject(ikigai.access)) return [];
  const { kind, ...names } = ikigai.access;
  const known = Object.entries(accessParameterKeys).find(([one]) => one === kind);
  const optional = Object.entries(optionalParameterKeys).find(([one]) => one === kind)?.[1];
  if (known === undefined) {
    const kinds = Object.keys(accessParameterKeys).join(", ");
    return [`Expected "ikigai.access.kind" to be one of ${kinds}, got ${JSON.stringify(kind) ?? "nothing"}.`];
  }
  return known[1].flatMap((key) => {
    const name = names[key];
    if (name === undefined && optional?.includes(key)) return [];
    if (name === undefined)
      return [`"ikigai.access" lacks "${key}": kind "${known[0]}" needs the name of the parameter with the ${key}.`];
    if (isJsonObject(parameterCalled(name, schema))) return [];
    return [`Expected "ikigai.access.${key}" to be the name of a parameter, got ${JSON.stringify(name)}.`];
  });
}

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
