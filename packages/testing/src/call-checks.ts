import { graceMs, type JsonObject } from "@ikigai/protocol";
import { type Check, describeExit, firstLine } from "./check.ts";
import { isObject, parseObject } from "./parse-object.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";
import { requiredParameters, sampleArguments, wrongValue } from "./sample-arguments.ts";
import { readSchema } from "./schema-checks.ts";
import { tempDir } from "./temp-dir.ts";
import { toolEnvironment } from "./tool-environment.ts";

/** How long a call that a tool has to refuse may take, in milliseconds. */
const refusalMs = 5_000;

/** How long a tool that waits for its input is left alone, in milliseconds: an interpreter has started by then. */
const waitMs = 400;

/**
 * How a tool behaves when it is called.
 *
 * A tool may do anything at all, so it gets only calls that it has to refuse; only one that says of itself that it reads
 * and stays on this machine (`readOnlyHint: true`, `openWorldHint: false`) gets a call that it has to answer.
 */
export const callChecks: readonly Check[] = [
  {
    id: "refuses-empty-input",
    level: "must",
    title: "refuses an empty input instead of waiting for more",
    needs: "starts",
    run: (bin) => refusal(bin, ""),
  },
  {
    id: "refuses-broken-json",
    level: "must",
    title: "refuses an input that is no JSON",
    needs: "starts",
    run: (bin) => refusal(bin, "{"),
  },
  {
    id: "refuses-other-json",
    level: "must",
    title: "refuses JSON that is no object",
    needs: "starts",
    run: (bin) => refusal(bin, "[1]"),
  },
  {
    id: "refuses-missing-parameter",
    level: "must",
    title: "refuses a call without a required parameter",
    needs: "parameters",
    // Without required parameters {} would be a real call.
    run: async (bin) => (requiredParameters(await readSchema(bin)).length > 0 ? refusal(bin, "{}") : undefined),
  },
  {
    id: "refuses-wrong-type",
    level: "should",
    title: "refuses a parameter of the wrong type",
    needs: "parameters",
    async run(bin) {
      const schema = await readSchema(bin);
      const [[name, parameter] = ["", {}], ...others] = requiredParameters(schema);
      const value = wrongValue(parameter);
      // Beside other parameters that are right, a tool that does not look would do its work.
      if (value === undefined || (others.length > 0 && !isHarmless(schema))) return undefined;
      return refusal(bin, JSON.stringify({ ...sampleArguments(schema), [name]: value }));
    },
  },
  {
    id: "explains-refusal",
    level: "should",
    title: "says in one line on stderr why it refuses a call",
    needs: "refuses-broken-json",
    async run(bin) {
      const lines = (await callOnce(bin, "{")).stderr.toString("utf8").split("\n");
      const count = lines.filter((line) => line.trim() !== "").length;
      return count === 1 ? undefined : `Expected one line on stderr, got ${count}.`;
    },
  },
  {
    id: "answers",
    level: "should",
    title: "answers a call with one JSON object and exits with 0",
    needs: "parameters",
    async run(bin) {
      const schema = await readSchema(bin);
      return isHarmless(schema) ? unanswered(bin, sampleArguments(schema)) : undefined;
    },
  },
  {
    id: "ignores-unknown-fields",
    level: "should",
    title: "ignores a field that it does not know",
    needs: "answers",
    async run(bin) {
      const schema = await readSchema(bin);
      return isHarmless(schema) ? unanswered(bin, { ...sampleArguments(schema), unknown_field: true }) : undefined;
    },
  },
  {
    id: "waits-for-input",
    level: "must",
    title: 'does nothing before it has read its input, if it says "prestart"',
    needs: "schema",
    async run(bin) {
      const { ikigai } = await readSchema(bin);
      if (!isObject(ikigai) || ikigai.prestart !== true) return undefined;
      const end = await callOnce(bin, undefined);
      if (!end.timedOut) return `Nobody had written to its stdin, and it ${describeExit(end)}.`;
      return end.stdout.length > 0
        ? `It printed before there was an input: ${firstLine(end.stdout.toString())}`
        : undefined;
    },
  },
  {
    id: "ends-on-sigterm",
    level: "should",
    title: "ends when it gets SIGTERM",
    needs: "starts",
    async run(bin) {
      const { timedOut, exitCode } = await callOnce(bin, undefined);
      const wasKilled = timedOut && exitCode === 137;
      return wasKilled ? `It was still there ${graceMs} ms after SIGTERM and had to be killed.` : undefined;
    },
  },
  {
    id: "leaves-nothing-running",
    level: "must",
    title: "leaves no process behind",
    needs: "starts",
    async run(bin) {
      const ends = [await callOnce(bin, "{"), await callOnce(bin, "", ["--schema"])];
      return ends.some((end) => end.leftProcesses)
        ? "A process that it had started was still there after its end."
        : undefined;
    },
  },
];

async function callOnce(bin: string, stdin: string | undefined, args: readonly string[] = []): Promise<ProcessEnd> {
  const timeoutMs = stdin === undefined ? waitMs : refusalMs;
  return runProcess(bin, args, { cwd: await tempDir(), env: toolEnvironment(), timeoutMs, stdin });
}

async function refusal(bin: string, stdin: string): Promise<string | undefined> {
  const end = await callOnce(bin, stdin);
  const input = stdin === "" ? "nothing" : stdin;
  if (end.timedOut) return `Given ${input} it did not end within ${refusalMs} ms.`;
  if (end.exitCode === 0) return `Given ${input} it exited with 0; expected another code.`;
  return end.stdout.length > 0
    ? `Given ${input} it printed on stdout: ${firstLine(end.stdout.toString("utf8"))}`
    : undefined;
}

async function unanswered(bin: string, args: JsonObject): Promise<string | undefined> {
  const input = JSON.stringify(args);
  const end = await callOnce(bin, input);
  if (end.timedOut) return `Given ${input} it did not end within ${refusalMs} ms.`;
  if (end.exitCode !== 0) return `Given ${input} it ${describeExit(end)}; an operation that failed is an answer too.`;
  const text = end.stdout.toString("utf8");
  return parseObject(text) === undefined ? `Given ${input} it printed no JSON object: ${firstLine(text)}` : undefined;
}

function isHarmless({ annotations }: JsonObject): boolean {
  return isObject(annotations) && annotations.readOnlyHint === true && annotations.openWorldHint === false;
}
