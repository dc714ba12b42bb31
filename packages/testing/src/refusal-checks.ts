import type { JsonObject } from "@ikigai/protocol";
import { parseObject, tellingLine } from "@ikigai/system";
import type { Trial, Wrong } from "./check.ts";
import { describeExit, endAdvice, hangAdvice, quoted } from "./describe-end.ts";
import { allParameters, requiredParameters, sampleArguments, wrongValue } from "./sample-arguments.ts";
import { isHarmless, refusalMs, type Subject } from "./subject.ts";

/** Checks with calls that every tool must reject. */
export const refusalChecks: readonly Trial[] = [
  {
    id: "refuses-empty-input",
    level: "must",
    title: "rejects empty input instead of waiting for more",
    needs: "starts",
    look: (subject) => refusal(subject, ""),
  },
  {
    id: "refuses-broken-json",
    level: "must",
    title: "rejects input that is not JSON",
    needs: "starts",
    // Text that ends early, and text in braces: a shell tool may look at nothing else.
    look: async (subject) => (await refusal(subject, "{")) ?? refusal(subject, "{nope}"),
  },
  {
    id: "refuses-other-json",
    level: "must",
    title: "rejects JSON that is not an object",
    needs: "starts",
    look: (subject) => refusal(subject, "[1]"),
  },
  {
    id: "refuses-missing-parameter",
    level: "must",
    title: "rejects a call without a required parameter",
    needs: "parameters",
    async look(subject) {
      // Without required parameters {} would be a real call.
      if (requiredParameters(await subject.schema()).length === 0) return nothingRequired;
      return refusal(subject, "{}");
    },
  },
  {
    id: "refuses-wrong-type",
    level: "should",
    title: "answers a parameter of the wrong type with an error",
    needs: "parameters",
    async look(subject) {
      const schema = await subject.schema();
      const parameters = allParameters(schema);
      if (parameters.length === 0) return { notTried: "it has no parameters" };
      const typed = parameters.find(([, parameter]) => wrongValue(parameter) !== undefined);
      if (typed === undefined) return { notTried: "the schema allows any type for every parameter" };
      const [name, parameter] = typed;
      const required = requiredParameters(schema).map(([one]) => one);
      // If the rest of the call is valid, a tool that does not check this parameter would do its work.
      const isOnlyRequired = required.length === 1 && required[0] === name;
      if (!isOnlyRequired && !isHarmless(schema))
        return { notTried: "a tool that does not check types would run this call" };
      return wrongTypeProblem(subject, JSON.stringify({ ...sampleArguments(schema), [name]: wrongValue(parameter) }));
    },
  },
  {
    id: "refuses-null",
    level: "should",
    title: "treats null for a required parameter as missing",
    needs: "refuses-missing-parameter",
    async look(subject) {
      const required = requiredParameters(await subject.schema());
      if (required.length === 0) return nothingRequired;
      if (required.some(([, parameter]) => allowsNull(parameter))) return { notTried: "the schema allows null" };
      return refusal(subject, JSON.stringify(Object.fromEntries(required.map(([name]) => [name, null]))));
    },
  },
  {
    id: "explains-refusal",
    level: "should",
    title: "says why it rejects a call in one line on stderr",
    needs: "refuses-broken-json",
    async look(subject) {
      const end = await subject.refuse("{");
      const text = end.stderr.toString("utf8");
      const count = text.split("\n").filter((line) => line.trim() !== "").length;
      if (count === 1) return undefined;
      const crashAdvice = endAdvice(end);
      if (crashAdvice !== undefined)
        return { problem: `Given the input \`{\`, the tool ${describeExit(end)}.`, advice: crashAdvice };
      const heart = count === 0 ? "" : `; the most informative one: ${quoted(tellingLine(text))}`;
      return `Given the input \`{\`, the tool printed ${count} lines on stderr, expected one that says why${heart}.`;
    },
  },
];

const nothingRequired = { notTried: "no parameter is required" };

/** Whether `null` may be a value of this parameter. Only a plain type rules it out. */
export function allowsNull({ type }: JsonObject): boolean {
  return typeof type !== "string" || type === "null";
}

/** The model corrects a call by an answer; a tool that exits with a nonzero code has not done the call either. */
async function wrongTypeProblem(subject: Subject, stdin: string): Promise<Wrong | undefined> {
  const { exitCode, stdout } = await subject.refuse(stdin);
  if (exitCode !== 0) return refusal(subject, stdin);
  const { error, error_code: code } = parseObject(stdout.toString("utf8")) ?? {};
  if (typeof error === "string" && typeof code === "string") return undefined;
  return `Given the input \`${stdin}\`, the tool answered ${quoted(stdout.toString("utf8"))}. Expected "error" and the "error_code" INVALID_PARAMS.`;
}

async function refusal(subject: Subject, stdin: string): Promise<Wrong | undefined> {
  const end = await subject.refuse(stdin);
  const input = stdin === "" ? "empty input" : `the input \`${stdin}\``;
  if (end.timedOut)
    return { problem: `Given ${input}, the tool was still running after ${refusalMs} ms.`, advice: hangAdvice };
  if (end.exitCode === 0)
    return `Given ${input}, the tool exited with 0. Expected a nonzero exit code, empty stdout and a reason on stderr.`;
  if (end.stdout.length === 0) return undefined;
  return {
    problem: `Given ${input}, the tool printed ${quoted(end.stdout.toString("utf8"))} on stdout. Expected empty stdout.`,
    advice: "A host could mistake it for the answer. Print the reason in one line on stderr.",
  };
}
