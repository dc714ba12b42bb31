import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import type { Trial, Wrong } from "./check.ts";
import { describeExit, endAdvice } from "./describe-end.ts";
import { answerOf, differs, eachCall } from "./each-call.ts";
import { objectSchemaOf } from "./sample-arguments.ts";
import { type AnswerRun, isHarmless, type Subject } from "./subject.ts";

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
