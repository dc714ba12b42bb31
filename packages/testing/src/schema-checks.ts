import { type JsonObject, maxSchemaBytes, schemaTimeoutMs } from "@ikigai/protocol";
import { type Check, describeExit, firstLine } from "./check.ts";
import { extensionProblem } from "./extension-problem.ts";
import { isOlderForm, parametersOf, toJsonSchema } from "./parameters-of.ts";
import { isObject, parseObject } from "./parse-object.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import { schemaProblem } from "./schema-problem.ts";
import { toolEnvironment } from "./tool-environment.ts";
import { toolName } from "./tool-name.ts";

/** What a tool says of itself. */
export const schemaChecks: readonly Check[] = [
  {
    id: "schema",
    level: "must",
    title: `prints one JSON object for --schema within ${schemaTimeoutMs} ms, and exits with 0`,
    needs: "starts",
    run: async (bin) => badSchema(await printSchema(bin)),
  },
  {
    id: "schema-environment",
    level: "must",
    title: "needs nothing for --schema: no credentials, no configuration, no home",
    needs: "schema",
    async run(bin) {
      const problem = badSchema(await printSchema(bin, { PATH: process.env.PATH }));
      return problem && `With no environment variable but PATH: ${problem}`;
    },
  },
  {
    id: "schema-stable",
    level: "must",
    title: "prints the same schema every time, since hosts keep it",
    needs: "schema",
    async run(bin) {
      const [first, second] = [await printSchema(bin), await printSchema(bin)];
      return first.stdout.equals(second.stdout) ? undefined : "Two runs printed different schemas.";
    },
  },
  {
    id: "schema-size",
    level: "must",
    title: `has a schema of at most ${maxSchemaBytes} bytes`,
    needs: "schema",
    async run(bin) {
      const { length } = (await printSchema(bin)).stdout;
      return length > maxSchemaBytes ? `The schema has ${length} bytes.` : undefined;
    },
  },
  {
    id: "description",
    level: "must",
    title: "describes itself, so that a model knows when to call it",
    needs: "schema",
    async run(bin) {
      const { description } = await readSchema(bin);
      if (typeof description === "string" && description.trim() !== "") return undefined;
      return `Expected "description" to be a sentence, got ${JSON.stringify(description) ?? "nothing"}.`;
    },
  },
  {
    id: "name",
    level: "should",
    title: "has a schema that names it as its file does",
    needs: "schema",
    async run(bin) {
      const { name } = await readSchema(bin);
      const expected = toolName(bin);
      if (name === expected) return undefined;
      return `Expected "name" to be "${expected}", got ${JSON.stringify(name) ?? "nothing"}; the file's name counts.`;
    },
  },
  {
    id: "parameters",
    level: "must",
    title: "describes its parameters by a JSON Schema of an object",
    needs: "schema",
    async run(bin) {
      const parameters = parametersOf(await readSchema(bin));
      if (parameters === undefined) return 'Expected "parameters" to be a JSON Schema, got nothing.';
      const schema = isOlderForm(parameters) ? toJsonSchema(parameters) : parameters;
      if (isObject(schema) && schema.type !== "object") return 'Expected "type" in "parameters" to be "object".';
      return schemaProblem(schema, "parameters");
    },
  },
  {
    id: "parameters-form",
    level: "should",
    title: "does not use the older form of parameters, which few hosts understand",
    needs: "parameters",
    async run(bin) {
      const parameters = parametersOf(await readSchema(bin));
      if (!isOlderForm(parameters)) return undefined;
      return 'Put the parameters into {"type": "object", "properties": …} and the names that are required into "required".';
    },
  },
  {
    id: "schema-keys",
    level: "should",
    title: "has no key in its schema that means nothing, and no value that a host would ignore",
    needs: "parameters",
    run: async (bin) => extensionProblem(await readSchema(bin)),
  },
];

/** What a tool says of itself; empty when it says nothing that can be read. */
export async function readSchema(bin: string): Promise<JsonObject> {
  return parseObject((await printSchema(bin)).stdout.toString("utf8")) ?? {};
}

function printSchema(bin: string, env: NodeJS.ProcessEnv = toolEnvironment()): Promise<ProcessEnd> {
  return runProcess(bin, ["--schema"], { env, timeoutMs: schemaTimeoutMs, stdin: "" });
}

function badSchema(end: ProcessEnd): string | undefined {
  if (end.timedOut) return `It did not end within ${schemaTimeoutMs} ms.`;
  if (end.exitCode !== 0 || end.flooded) return `It ${describeExit(end)}.`;
  const text = end.stdout.toString("utf8");
  if (parseObject(text) !== undefined) return undefined;
  const printed = firstLine(text);
  return `Expected one JSON object and nothing else, got ${printed === "" ? "nothing" : printed}.`;
}
