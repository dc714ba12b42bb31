import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { firstLine, type Trial } from "./check.ts";
import { changed, eachAnswer, eachCall, failure, isFailure } from "./each-call.ts";
import { valueProblem } from "./json-schema.ts";
import { objectSchemaOf } from "./parameters-of.ts";
import { allowsNull } from "./refusal-checks.ts";

/** A small limit for an answer, in bytes: less than many answers need, but enough for a useful one. */
const windowBytes = 4_096;

/** Checks with calls that a tool must answer. */
export const answerChecks: readonly Trial[] = [
  {
    id: "answers",
    level: "must",
    title: "exits with 0 for arguments that its schema allows",
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
        objects.length === 0 ? `it printed no JSON object but ${firstLine(rest) || "nothing"}` : undefined,
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
    title: "prints only its answer on stdout; logs go to stderr",
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ rest }) => (rest === "" ? undefined : `it also printed ${firstLine(rest)}`)),
  },
  {
    id: "answer-schema",
    level: "should",
    title: "answers as its outputSchema describes",
    needs: "output-schema",
    async look(subject) {
      const { outputSchema, returns = outputSchema } = await subject.schema();
      if (!isJsonObject(returns)) return { notTried: "it has no outputSchema" };
      return eachAnswer(subject, ({ objects: [answer] }) =>
        answer && !isFailure(answer) ? valueProblem(returns, answer, "answer")?.replace(/\.$/, "") : undefined,
      );
    },
  },
  {
    id: "error-shape",
    level: "must",
    title: 'reports a failure with "error" and "error_code", both strings',
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
        if (code !== "MISSING_CREDENTIALS" || (isJsonObject(help) && isTexts(help.steps))) return undefined;
        return 'it lacks credentials and has no "help": {"steps": ["…"]} that says how to get them';
      }),
  },
  {
    id: "ignores-unknown-fields",
    level: "must",
    title: "ignores unknown fields",
    needs: "answers",
    look: (subject) => eachCall(subject, (_, args) => changed(subject, args, { unknown_field: true })),
  },
  {
    id: "null-is-absent",
    level: "should",
    title: "treats null for an optional parameter as absent",
    needs: "answers",
    async look(subject) {
      const { properties } = objectSchemaOf(await subject.schema());
      const optional = Object.entries(isJsonObject(properties) ? properties : {}).filter(
        ([, property]) => isJsonObject(property) && !allowsNull(property),
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
          : `the limit was ${windowBytes} bytes, and it printed ${stdout.length}`;
      }),
  },
];

function errorProblem({ error, error_code: code }: JsonObject): string | undefined {
  if ((error ?? code ?? null) === null || (typeof error === "string" && typeof code === "string")) return undefined;
  return `it answered with "error" ${JSON.stringify(error) ?? "missing"} and "error_code" ${JSON.stringify(code) ?? "missing"}`;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}
