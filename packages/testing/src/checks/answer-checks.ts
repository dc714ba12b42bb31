// The checks of an answer: one JSON object, in the form that the schema declares, with files that exist.

import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import {
  documentTypeOf,
  imageTypeOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxDocumentBytes,
  maxDocuments,
  maxImageBytes,
  maxImages,
  readVisuals,
} from "@ikigai/protocol";
import { isInside, readJsonObject, readRegularFile } from "@ikigai/system";
import { valueProblem } from "@ikigai/system/json-schema";
import { objectSchemaOf } from "../run/sample-arguments.ts";
import type { AnswerRun, Run, Subject } from "../run/subject.ts";
import { allowsNull } from "./call-checks.ts";
import type { Trial } from "./check.ts";
import { answerOf, changed, eachAnswer, eachCall, failure, isFailure, quoted, takeApart } from "./each-call.ts";

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
      eachCall(subject, ({ stdout }) => {
        const { objects, rest } = takeApart(stdout.toString("utf8"));
        if (objects.length > 0) return undefined;
        const reading = readJsonObject(stdout);
        const where = reading.ok || rest === "" ? "" : ` (${reading.problem})`;
        return `it printed ${quoted(rest)} instead of a JSON object${where}`;
      }),
  },
  {
    id: "answer-once",
    level: "must",
    title: "answers with one object, not several",
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ objects, rest }) =>
        objects.length > 1 && rest === "" ? `it printed ${objects.length} JSON objects, expected one` : undefined,
      ),
  },
  {
    id: "answer-alone",
    level: "must",
    title: "prints only its answer on stdout; logs go to stderr",
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ rest }) => (rest === "" ? undefined : `it also printed ${quoted(rest)} on stdout`)),
  },
  {
    id: "answer-schema",
    level: "should",
    title: "answers as its outputSchema describes",
    needs: "output-schema",
    async look(subject) {
      const { outputSchema, returns = outputSchema } = await subject.schema();
      if (!isJsonObject(returns)) return noOutputSchema;
      return eachAnswer(subject, ({ objects: [answer] }) =>
        answer && !isFailure(answer) ? lowerCase(valueProblem(returns, answer, "answer")) : undefined,
      );
    },
  },
  {
    id: "answer-fields",
    level: "should",
    title: "answers only with fields that its outputSchema names",
    needs: "output-schema",
    async look(subject) {
      const { outputSchema, returns = outputSchema } = await subject.schema();
      if (!isJsonObject(returns)) return noOutputSchema;
      const named = namedFields(returns);
      if (named === undefined) return { notTried: "its outputSchema allows other fields" };
      return eachAnswer(subject, ({ objects: [answer] }) => {
        const others = answer && !isFailure(answer) ? Object.keys(answer).filter((name) => !named.has(name)) : [];
        return others.length === 0
          ? undefined
          : `the answer has fields that its outputSchema does not name: ${others.slice(0, 3).map(quoted).join(", ")}`;
      });
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
        return 'it answered MISSING_CREDENTIALS without "help": {"steps": ["…"]}';
      }),
  },
  {
    id: "visual",
    level: "should",
    title: 'answers with a "visual" that a host can draw',
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ objects }) => {
        const visuals = readVisuals(objects.at(-1) ?? {}) ?? [];
        const index = visuals.findIndex(({ type }) => type === "refused");
        const refused = visuals[index];
        return refused && "reason" in refused ? `visual ${index + 1} is not drawn: ${refused.reason}` : undefined;
      }),
  },
  {
    id: "images",
    level: "should",
    title: 'answers with "images" that a host can show to the model',
    needs: "answer-object",
    look: (subject) => eachCall(subject, (run) => filesProblem(run, "images")),
  },
  {
    id: "documents",
    level: "should",
    title: 'answers with "documents" that a host can show to the model',
    needs: "answer-object",
    look: (subject) => eachCall(subject, (run) => filesProblem(run, "documents")),
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
    look: (subject) => eachCall(subject, fitsInto("IKIGAI_MAX_OUTPUT_BYTES", subject)),
  },
  {
    id: "needs",
    level: "should",
    title: 'works in a sandbox with nothing but what "needs" declares',
    needs: "answers",
    async look(subject) {
      let notTried: string | undefined = notSandboxed;
      const finding = await eachCall(subject, async (run, args) => {
        const end = await subject.answerInside(args);
        if (end === undefined || "notTried" in end) {
          notTried = end?.notTried ?? notTried;
          return undefined;
        }
        notTried = undefined;
        const answer = answerOf(run);
        if (end.failure === undefined || (answer && isFailure(answer))) return undefined;
        const why = end.lacks.length === 0 ? "" : `, perhaps because it lacks ${end.lacks.join(", ")}`;
        return `in the sandbox it failed (${quoted(end.failure)})${why}`;
      });
      return finding ?? (notTried === undefined ? undefined : { notTried });
    },
  },
  {
    id: "jobs-only-offered",
    level: "must",
    title: 'leaves a job only if it declares "jobs" and the host offers it',
    needs: "answer-object",
    look: (subject) =>
      eachAnswer(subject, ({ objects: [answer] }) =>
        isJsonObject(answer) && answer.job === true
          ? 'it answered with "job": true, although IKIGAI_JOBS is not set'
          : undefined,
      ),
  },
  {
    id: "keeps-budget",
    level: "should",
    title: 'keeps its answer within IKIGAI_ANSWER_BYTES if it declares "answerBytes"',
    needs: "answers",
    async look(subject) {
      const { ikigai } = await subject.schema();
      if (!isJsonObject(ikigai) || ikigai.answerBytes === undefined) return undefined;
      return eachCall(subject, fitsInto("IKIGAI_ANSWER_BYTES", subject));
    },
  },
];

/** Whether an answer that is long without a limit fits into a small one. */
function fitsInto(variable: "IKIGAI_MAX_OUTPUT_BYTES" | "IKIGAI_ANSWER_BYTES", subject: Subject) {
  return async (run: Run, args: JsonObject) => {
    if (run.stdout.length <= windowBytes) return undefined;
    const { stdout } = await subject.answer(args, { [variable]: String(windowBytes) });
    return stdout.length <= windowBytes
      ? undefined
      : `${variable} was ${windowBytes}, and it printed ${stdout.length} bytes`;
  };
}

const notSandboxed = "only ikigai tool check tries it, where its sandbox works";

const noOutputSchema = { notTried: "it has no outputSchema" };

/** Fields that every answer may have, whatever its schema says. */
const commonFields = ["documents", "error", "error_code", "help", "hint", "ignored", "images", "truncated", "visual"];

/** Keywords that may allow fields beyond `properties`. */
const openKeywords = ["additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if"];

/** The fields that an answer may have; `undefined` if the schema leaves that open. */
function namedFields(schema: JsonObject): ReadonlySet<string> | undefined {
  const { properties } = schema;
  if (!isJsonObject(properties) || openKeywords.some((keyword) => schema[keyword] !== undefined)) return undefined;
  return new Set([...Object.keys(properties), ...commonFields]);
}

/** A sentence as a part of another. */
function lowerCase(sentence: string | undefined): string | undefined {
  return sentence && `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

function errorProblem({ error, error_code: code }: JsonObject): string | undefined {
  if ((error ?? code ?? null) === null || (typeof error === "string" && typeof code === "string")) return undefined;
  return `expected "error" and "error_code" to be strings, got ${JSON.stringify(error) ?? "nothing"} and ${JSON.stringify(code) ?? "nothing"}`;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "string");
}

/** The files that an answer may name for the model, by field. */
const shownFiles = {
  images: {
    one: "image",
    most: maxImages,
    maxBytes: maxImageBytes,
    typeOf: imageTypeOf,
    what: "a PNG, JPEG, GIF or WebP image",
  },
  documents: {
    one: "document",
    most: maxDocuments,
    maxBytes: maxDocumentBytes,
    typeOf: documentTypeOf,
    what: "a PDF document",
  },
} as const;

/** Why a host ignores a file of an answer. */
function filesProblem({ stdout, cwd }: AnswerRun, field: keyof typeof shownFiles): string | undefined {
  const { one, most } = shownFiles[field];
  const files = takeApart(stdout.toString("utf8")).objects.at(-1)?.[field];
  // Of another form, the field is the tool's own.
  if (!Array.isArray(files) || !files.some(isNamedFile)) return undefined;
  if (files.length > most) return `it answered with ${files.length} ${field}, and a model sees ${most}`;
  const problems = files.map((file) => fileProblem(file, cwd, field));
  const index = problems.findIndex((problem) => problem !== undefined);
  return index < 0 ? undefined : `${one} ${index + 1} is not shown to the model: ${problems[index]}`;
}

function isNamedFile(value: JsonValue): value is { path: string; mime_type: string } {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.mime_type === "string";
}

/** The end of a sentence. */
function fileProblem(file: JsonValue, cwd: string, field: keyof typeof shownFiles): string | undefined {
  const { maxBytes, typeOf, what } = shownFiles[field];
  if (!isNamedFile(file)) return "it needs a path and a mime_type";
  try {
    const path = realpathSync(resolve(cwd, file.path));
    if (![cwd, tmpdir()].some((place) => isInside(path, realpathSync(place))))
      return `${quoted(file.path)} is outside the working directory and the temporary directory`;
    const type = typeOf(readRegularFile(path, maxBytes));
    if (type === undefined) return `${quoted(file.path)} is not ${what}`;
    return type === file.mime_type ? undefined : `${quoted(file.path)} is ${type}, not ${file.mime_type}`;
  } catch {
    return `${quoted(file.path)} is not a file of at most ${maxBytes / 1_048_576} MiB that can be read`;
  }
}
