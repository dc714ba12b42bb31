import type { JsonObject } from "@ikigai/protocol";
import { describeExit, type Finding, firstLine, type Trial } from "./check.ts";
import { valueProblem } from "./json-schema.ts";
import { objectSchemaOf } from "./parameters-of.ts";
import { isObject } from "./parse-object.ts";
import { allowsNull } from "./refusal-checks.ts";
import type { Run, Subject } from "./subject.ts";
import { type Printed, takeApart } from "./take-apart.ts";

/** A small window for an answer, in bytes: less than many answers have, and enough to say something in. */
const windowBytes = 4_096;

/** Calls that a tool has to answer. */
export const answerChecks: readonly Trial[] = [
  {
    id: "answers",
    level: "must",
    title: "exits with 0 when it is given arguments that its schema allows",
    needs: "parameters",
    look: (subject) => eachCall(subject, async (_, args) => failure(await subject.answer(args))),
  },
  {
    id: "answer-object",
    level: "must",
    title: "answers with a JSON object",
    needs: "answers",
    look: (subject) =>
      eachAnswer(subject, ({ objects, rest }) =>
        objects.length === 0 ? `it printed no JSON object, but ${firstLine(rest) || "nothing"}` : undefined,
      ),
  },
  {
    id: "answer-once",
    level: "must",
    title: "answers with one object, not several",
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ objects, rest }) =>
        objects.length > 1 && rest === "" ? `it printed ${objects.length} JSON objects` : undefined,
      ),
  },
  {
    id: "answer-alone",
    level: "must",
    title: "prints nothing on stdout beside its answer; what it logs goes to stderr",
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ rest }) => (rest === "" ? undefined : `it also printed ${firstLine(rest)}`)),
  },
  {
    id: "answer-schema",
    level: "should",
    title: "answers as its output schema says",
    needs: "output-schema",
    async look(subject) {
      const { outputSchema, returns = outputSchema } = await subject.schema();
      if (!isObject(returns)) return { notTried: "it does not describe its answer" };
      return eachAnswer(subject, ({ objects: [answer] }) =>
        answer && !isFailure(answer) ? valueProblem(returns, answer, "answer")?.replace(/\.$/, "") : undefined,
      );
    },
  },
  {
    id: "error-shape",
    level: "must",
    title: 'says what failed by "error" and "error_code", both strings',
    needs: "answer-object",
    look: (subject) => eachAnswer(subject, ({ objects }) => errorProblem(objects.at(-1) ?? {})),
  },
  {
    id: "help-steps",
    level: "should",
    title: "says what to do when credentials are missing",
    needs: "error-shape",
    look: (subject) =>
      eachAnswer(subject, ({ objects }) => {
        const { error_code: code, help } = objects.at(-1) ?? {};
        if (code !== "MISSING_CREDENTIALS" || (isObject(help) && isTexts(help.steps))) return undefined;
        return 'it lacks credentials, and "help": {"steps": ["…"]} does not say how to get them';
      }),
  },
  {
    id: "ignores-unknown-fields",
    level: "must",
    title: "ignores a field that it does not know",
    needs: "answers",
    look: (subject) => eachCall(subject, (_, args) => changed(subject, args, { unknown_field: true })),
  },
  {
    id: "null-is-absent",
    level: "should",
    title: "takes null for an optional parameter as if it were not there",
    needs: "answers",
    async look(subject) {
      const { properties } = objectSchemaOf(await subject.schema());
      const optional = Object.entries(isObject(properties) ? properties : {}).filter(
        ([, property]) => isObject(property) && !allowsNull(property),
      );
      return eachCall(subject, (_, args) => {
        const absent = optional.filter(([name]) => !Object.hasOwn(args, name)).map(([name]) => [name, null]);
        return absent.length === 0 ? undefined : changed(subject, args, Object.fromEntries(absent));
      });
    },
  },
  {
    id: "keeps-limit",
    level: "should",
    title: "keeps its answer within IKIGAI_MAX_OUTPUT_BYTES",
    needs: "answers",
    look: (subject) =>
      eachCall(subject, async (run, args) => {
        if (run.stdout.length <= windowBytes) return undefined;
        const { stdout } = await subject.answer(args, { IKIGAI_MAX_OUTPUT_BYTES: String(windowBytes) });
        return stdout.length <= windowBytes
          ? undefined
          : `it was asked for ${windowBytes} bytes and printed ${stdout.length}`;
      }),
  },
];

const nothingToCall = {
  notTried: "it may do anything, so it is called only with arguments that you give: --call '{…}'",
};

type Judge<What> = (what: What, args: JsonObject) => string | undefined | Promise<string | undefined>;

/** What is wrong with the first call that is not answered as it should be. */
async function eachCall(subject: Subject, judge: Judge<Run>): Promise<Finding> {
  const calls = await subject.calls();
  for (const args of calls) {
    const problem = await judge(await subject.answer(args), args);
    if (problem !== undefined) return `Given ${JSON.stringify(args)} ${problem}.`;
  }
  return calls.length === 0 ? nothingToCall : undefined;
}

function eachAnswer(subject: Subject, judge: Judge<Printed>): Promise<Finding> {
  return eachCall(subject, ({ stdout }, args) => judge(takeApart(stdout.toString("utf8")), args));
}

function failure(run: Run): string | undefined {
  if (run.timedOut) return `it did not end within ${Math.round(run.durationMs)} ms`;
  if (run.exitCode === 0) return undefined;
  return `it ${describeExit(run)}; when an operation failed, the answer is {"error": "…", "error_code": "…"} and the exit code 0`;
}

/** What is wrong when fields are added to a call that a tool has answered and that should make no difference. */
async function changed(subject: Subject, args: JsonObject, fields: JsonObject): Promise<string | undefined> {
  const answer = answerOf(await subject.answer(args));
  const run = await subject.answer({ ...args, ...fields });
  const other = answerOf(run);
  const added = `with ${JSON.stringify(fields)} beside it,`;
  if (run.timedOut || run.exitCode !== 0) return `${added} it ${describeExit(run)}`;
  if (!answer || isFailure(answer)) return undefined;
  if (!other) return `${added} it printed no JSON object, but ${firstLine(run.stdout.toString("utf8")) || "nothing"}`;
  return isFailure(other) ? `${added} it failed: ${firstLine(JSON.stringify(other.error))}` : undefined;
}

function answerOf({ stdout }: Run): JsonObject | undefined {
  return takeApart(stdout.toString("utf8")).objects.at(-1);
}

function isFailure({ error }: JsonObject): boolean {
  return error !== undefined && error !== null;
}

function errorProblem({ error, error_code: code }: JsonObject): string | undefined {
  if ((error ?? code ?? null) === null || (typeof error === "string" && typeof code === "string")) return undefined;
  return `it answered with "error" ${JSON.stringify(error) ?? "missing"} and "error_code" ${JSON.stringify(code) ?? "missing"}`;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}
