// Checks of calls: those that a tool must refuse, the same input written in different ways, and how its processes end.

import { isUtf8 } from "node:buffer";
import { constants } from "node:os";
import { graceMs, isJsonObject, type JsonObject } from "@ikigai/protocol";
import { parseObject, tellingLine } from "@ikigai/system";
import type { LeftProcess } from "../run/run-process.ts";
import {
  allParameters,
  objectSchemaOf,
  requiredParameters,
  sampleArguments,
  wrongValue,
} from "../run/sample-arguments.ts";
import { type AnswerRun, isHarmless, type Run, refusalMs, type Subject } from "../run/subject.ts";
import type { Trial, Wrong } from "./check.ts";
import { answerOf, describeExit, differs, eachCall, endAdvice, firstLine, hangAdvice, quoted } from "./each-call.ts";

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

/** The size of the large input, in bytes: four times the size of a pipe on Linux. */
const largeBytes = 256 * 1_024;

/** Characters of two, three and four bytes in UTF-8. */
const foreignText = "né 漢字 😀";

/** Checks with the same input written in different ways, and of the files that a call leaves behind. */
export const inputChecks: readonly Trial[] = [
  {
    id: "reads-all-input",
    level: "must",
    title: "reads its input to the end, even if it is large and arrives in pieces",
    needs: "answers",
    look: (subject) =>
      eachCall(subject, (_, args) =>
        written(subject, args, inPieces, `with the same input in several pieces, ${largeBytes} bytes long,`),
      ),
  },
  {
    id: "multi-line-input",
    level: "must",
    title: "reads JSON that spans several lines",
    needs: "answers",
    look: (subject) =>
      eachCall(subject, (_, args) => written(subject, args, overLines, "with the same input on several lines,")),
  },
  {
    id: "utf8",
    level: "must",
    title: "reads and answers in UTF-8",
    needs: "answers",
    look: (subject) => eachCall(subject, (run, args) => utf8Problem(run) ?? foreignArgumentProblem(subject, args)),
  },
  {
    id: "read-only",
    level: "must",
    title: 'changes nothing in its working directory if it declares "readOnlyHint"',
    needs: "answers",
    async look(subject) {
      const { annotations } = await subject.schema();
      if (!isJsonObject(annotations) || annotations.readOnlyHint !== true)
        return { notTried: 'it does not declare "readOnlyHint"' };
      return eachCall(subject, ({ changedFiles }) =>
        changedFiles.length === 0 ? undefined : `it created or changed ${changedFiles.slice(0, 3).join(", ")}`,
      );
    },
  },
];

function written(
  subject: Subject,
  args: JsonObject,
  inputOf: (args: JsonObject) => string | readonly string[],
  how: string,
): Promise<Wrong | undefined> {
  return differs(subject, args, () => subject.answer(args, {}, inputOf), how);
}

/** Spaces between tokens have no meaning in JSON. The second piece is larger than a pipe. */
function inPieces(args: JsonObject): readonly string[] {
  const text = JSON.stringify(args);
  return [text.slice(0, 1), " ".repeat(largeBytes), text.slice(1)];
}

function overLines(args: JsonObject): string {
  return `${JSON.stringify(args, null, 2)}\n`;
}

/** Describes what is wrong if an argument has such characters. Only a tool that declares itself harmless gets a changed argument. */
async function foreignArgumentProblem(subject: Subject, args: JsonObject): Promise<Wrong | undefined> {
  const schema = await subject.schema();
  const name = isHarmless(schema) ? freeText(objectSchemaOf(schema), args) : undefined;
  if (name === undefined) return undefined;
  const foreign = { [name]: foreignText };
  const run = await subject.answer({ ...args, ...foreign });
  const added = `with ${JSON.stringify(foreign)},`;
  if (run.timedOut || run.exitCode !== 0)
    return { problem: `${added} it ${describeExit(run)}`, advice: endAdvice(run) };
  const problem = utf8Problem(run) ?? misreading(run, args);
  return problem && `${added} ${problem}`;
}

/** What `é` looks like if its bytes are read as Latin-1 or Windows-1252, in either case, or, after the `n`, as ASCII. */
const misread = /Ã©|(?<=n)\ufffd/iu;

/** Says that an answer has the argument as another encoding would read it. */
function misreading(run: AnswerRun, args: JsonObject): string | undefined {
  const [found] = misread.exec(JSON.stringify(answerOf(run) ?? {})) ?? [];
  if (found === undefined || misread.test(JSON.stringify(args))) return undefined;
  return `it answered with ${JSON.stringify(found)} instead of "é": it does not read its input as UTF-8`;
}

/** The first parameter of a call that accepts any text. */
function freeText({ properties }: JsonObject, args: JsonObject): string | undefined {
  return Object.keys(args).find((name) => {
    const property = isJsonObject(properties) ? properties[name] : undefined;
    if (!isJsonObject(property) || property.type !== "string") return false;
    return ["enum", "const", "pattern", "format"].every((keyword) => property[keyword] === undefined);
  });
}

function utf8Problem({ stdout }: AnswerRun): string | undefined {
  return isUtf8(stdout) ? undefined : "it printed bytes that are not UTF-8";
}

/** Checks of the process: what it does before its call, and what it leaves behind. */
export const processChecks: readonly Trial[] = [
  {
    id: "waits-for-input",
    level: "must",
    title: 'does nothing before it has read its input if it declares "prestart"',
    needs: "schema",
    async look(subject) {
      const { ikigai } = await subject.schema();
      if (!isJsonObject(ikigai) || ikigai.prestart !== true) return { notTried: 'it does not declare "prestart"' };
      const end = await subject.idle();
      if (!end.timedOut) return `Before it got any input, it ${describeExit(end)}; expected it to wait.`;
      if (end.stdout.length > 0) return `Before it got any input, it printed ${quoted(end.stdout.toString("utf8"))}.`;
      return end.madeFiles.length > 0
        ? `Before it got any input, it created ${firstLine(end.madeFiles.join(", "))}.`
        : undefined;
    },
  },
  {
    id: "ends-on-sigterm",
    level: "should",
    title: `ends within ${graceMs} ms of SIGTERM`,
    needs: "starts",
    async look(subject) {
      if (wasKilled(await subject.idle())) return `It ${stillThere}`;
      for (const args of await subject.calls()) {
        const { durationMs } = await subject.answer(args);
        if (durationMs < longCallMs) continue;
        if (wasKilled(await subject.stop(args, durationMs / 2)))
          return `Called with ${JSON.stringify(args)}: it ${stillThere}`;
      }
      return undefined;
    },
  },
  {
    id: "leaves-nothing-running",
    level: "must",
    title: "leaves no process behind",
    needs: "starts",
    async look(subject) {
      const ends = [await subject.refuse("{"), await subject.printSchema()];
      for (const args of await subject.calls()) ends.push(await subject.answer(args));
      const [left] = ends.flatMap((end) => end.leftProcesses);
      if (left === undefined) return undefined;
      return `${describeLeft(left)} was still running after the tool exited.`;
    },
  },
];

/** Names a process that was left running, at the beginning of a sentence. */
export function describeLeft({ pid, command }: LeftProcess): string {
  return command === "" ? `A process of group ${pid}` : `${quoted(command)} (process ${pid})`;
}

/** The shortest call that can be stopped midway, in milliseconds. */
const longCallMs = 500;

const stillThere = `was still running ${graceMs} ms after SIGTERM and had to be killed.`;

function wasKilled({ timedOut, exitCode }: Run): boolean {
  return timedOut && exitCode === 128 + constants.signals.SIGKILL;
}
