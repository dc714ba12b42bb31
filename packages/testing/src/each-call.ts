import type { JsonObject } from "@ikigai/protocol";
import { describeExit, type Finding, firstLine, quoted } from "./check.ts";
import type { AnswerRun, Run, Subject } from "./subject.ts";
import { type Printed, takeApart } from "./take-apart.ts";

/** Why a check that needs a real call is skipped. */
export const nothingToCall = {
  notTried:
    "needs a real call, and the schema does not declare readOnlyHint: true and openWorldHint: false. To make one: --call '{…}'",
};

type Judge<What> = (what: What, args: JsonObject) => string | undefined | Promise<string | undefined>;

/** Describes the first wrong answer, if any. */
export async function eachCall(subject: Subject, judge: Judge<AnswerRun>): Promise<Finding> {
  const calls = await subject.calls();
  for (const args of calls) {
    const problem = await judge(await subject.answer(args), args);
    if (problem !== undefined) return `Called with ${JSON.stringify(args)}: ${problem}.`;
  }
  return calls.length === 0 ? nothingToCall : undefined;
}

export function eachAnswer(subject: Subject, judge: Judge<Printed>): Promise<Finding> {
  return eachCall(subject, ({ stdout }, args) => judge(takeApart(stdout.toString("utf8")), args));
}

export function failure(run: Run): string | undefined {
  if (run.timedOut) return `it was still running after ${Math.round(run.durationMs)} ms`;
  if (run.exitCode === 0) return undefined;
  return `it ${describeExit(run)}; for a failed operation, answer {"error": "…", "error_code": "…"} with exit code 0`;
}

/** Describes a difference in the answer when these fields, which should make none, are added to a call. */
export function changed(subject: Subject, args: JsonObject, fields: JsonObject): Promise<string | undefined> {
  const whole = { ...args, ...fields };
  return differs(subject, args, () => subject.answer(whole), `with ${JSON.stringify(fields)} added,`);
}

/** Describes a difference in the answer when the same call is written in another way; `added` names the way. */
export async function differs(
  subject: Subject,
  args: JsonObject,
  repeat: () => Promise<Run>,
  added: string,
): Promise<string | undefined> {
  const answer = answerOf(await subject.answer(args));
  const run = await repeat();
  const other = answerOf(run);
  if (run.timedOut || run.exitCode !== 0) return `${added} it ${describeExit(run)}`;
  if (!answer || isFailure(answer)) return undefined;
  if (!other) return `${added} it printed ${quoted(run.stdout.toString("utf8"))} instead of one JSON object`;
  return isFailure(other) ? `${added} it failed: ${firstLine(JSON.stringify(other.error))}` : undefined;
}

/** The object that a call printed last. */
export function answerOf({ stdout }: Run): JsonObject | undefined {
  return takeApart(stdout.toString("utf8")).objects.at(-1);
}

export function isFailure({ error }: JsonObject): boolean {
  return error !== undefined && error !== null;
}
