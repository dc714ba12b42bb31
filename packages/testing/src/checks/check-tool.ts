// All checks, in their order, and how they run on a tool: with a report, or as tests of a test runner.

import { toolName } from "../run/run-process.ts";
import { openSubject, type Subject, type SubjectOptions } from "../run/subject.ts";
import { answerChecks } from "./answer-checks.ts";
import { inputChecks, processChecks, refusalChecks } from "./call-checks.ts";
import { type Check, look, sentences, type Trial, toCheck } from "./check.ts";
import { fileChecks, isPlain, plainChecks } from "./file-checks.ts";
import { schemaChecks } from "./schema-checks.ts";
import { servedChecks } from "./served-checks.ts";
import { serviceChecks } from "./service-checks.ts";

/** All checks; each comes after the one it needs. */
export const trials: readonly Trial[] = [
  ...fileChecks,
  ...schemaChecks,
  ...refusalChecks,
  ...answerChecks,
  ...inputChecks,
  ...processChecks,
  ...servedChecks,
  ...serviceChecks,
];

/**
 * The conformance checks of the protocol, as data for any test runner:
 * `test.each(conformance)("$title", async ({ run }) => expect(await run(bin)).toBeUndefined())`.
 */
export const conformance: readonly Check[] = trials.map(toCheck);

/** Those of plain tools, too. */
export const everyCheck: readonly Trial[] = [
  ...new Map([...trials, ...plainChecks].map((trial) => [trial.id, trial])).values(),
];

/** Returns the first id that no check has. */
export function unknownCheck(ids: readonly string[]): string | undefined {
  return ids.find((wanted) => !everyCheck.some(({ id }) => id === wanted));
}

/** Returns the checks of a tool: a plain one has its own. */
export function checksOf(path: string): readonly Trial[] {
  return isPlain(path) ? plainChecks : trials;
}

/** The result of one check. */
export interface CheckResult {
  /** The check's stable id. */
  readonly id: string;
  /** `must`: a host rejects or misreads a tool that fails it. `should`: the tool works, but less well. */
  readonly level: Check["level"];
  /** What a conforming tool does, to be read after its name. */
  readonly title: string;
  /** How it ended. Only a failed `must` makes the tool unfit. */
  readonly status: "passed" | "failed" | "skipped";
  /** If it failed: what happened. */
  readonly problem?: string;
  /** If it failed: why it matters or what usually causes it, and what to do. */
  readonly advice?: string;
  /** If it was skipped: the check it needs did not pass, or it does not apply to this tool. */
  readonly reason?: string;
}

/** The results of all checks of a tool. */
export interface Report {
  /** The path of the tool. */
  readonly path: string;
  /** The name that a model uses. */
  readonly name: string;
  /** Whether no `must` failed. */
  readonly ok: boolean;
  /** In the order of `conformance`. */
  readonly results: readonly CheckResult[];
}

/** Which checks run, and with what. */
export interface CheckOptions extends SubjectOptions {
  /** The ids of the checks to run (default: all). The checks they need run too, and are reported if they fail. */
  readonly only?: readonly string[] | undefined;
  /** The ids of checks to skip. Checks that need them still run. */
  readonly skip?: readonly string[] | undefined;
  /** Called before each check that runs, with its id, its number from 1 and how many there are: one can take a minute. */
  readonly onStart?: ((id: string, number: number, count: number) => void) | undefined;
  /** Called with each result as soon as it is known. */
  readonly onResult?: ((result: CheckResult) => void) | undefined;
}

/** The reason of a check that `skip` names. */
export const leftOut = "left out";

/**
 * Runs the conformance checks on a tool, one after the other. This starts the tool up to 30 times for one call. A tool that cannot
 * be started fails a check. A plain tool, which its comments describe, has checks of its own and is started only with `calls`.
 *
 * @throws TypeError if `only` or `skip` has an id that no check has; and what `onStart` and `onResult` throw.
 */
export async function checkTool(bin: string, options: CheckOptions = {}): Promise<Report> {
  const { only, skip = [], onStart, onResult } = options;
  const unknown = unknownCheck([...(only ?? []), ...skip]);
  if (unknown !== undefined)
    throw new TypeError(`Unknown check ${JSON.stringify(unknown)} in "only" or "skip". \`conformance\` has the ids.`);
  const subject = openSubject(bin, options);
  const wanted = only && withNeeds(only, checksOf(subject.path));
  const known = new Map<string, CheckResult>();
  const all = checksOf(subject.path);
  const selected = all.filter(({ id }) => wanted?.has(id) ?? true);
  for (const [index, trial] of selected.entries()) {
    if (!skip.includes(trial.id)) onStart?.(trial.id, index + 1, selected.length);
    const result = skip.includes(trial.id) ? skipped(trial, leftOut) : await runTrial(trial, subject, known);
    known.set(trial.id, result);
    if (isReported(result, only)) onResult?.(result);
  }
  const results = [...known.values()].filter((result) => isReported(result, only));
  const ok = results.every(({ level, status }) => level === "should" || status !== "failed");
  return { path: subject.path, name: toolName(subject.path), ok, results };
}

/** Runs one check, unless one that it needs is known to have failed. */
export async function runTrial(
  trial: Trial,
  subject: Subject,
  known: ReadonlyMap<string, CheckResult>,
): Promise<CheckResult> {
  const obstacle = trial.needs === undefined ? undefined : obstacleIn(trial.needs, known);
  if (obstacle !== undefined) return skipped(trial, `needs ${obstacle}, which failed`);
  const finding = await look(trial, subject);
  if (finding && "notTried" in finding) return skipped(trial, finding.notTried);
  const { id, level, title } = trial;
  return {
    id,
    level,
    title,
    status: finding === undefined ? "passed" : "failed",
    ...finding,
  };
}

/** The failed check among those that a check needs, directly or indirectly. */
function obstacleIn(id: string, known: ReadonlyMap<string, CheckResult>): string | undefined {
  if (known.get(id)?.status === "failed") return id;
  const { needs } = everyCheck.find((trial) => trial.id === id) ?? {};
  return needs === undefined ? undefined : obstacleIn(needs, known);
}

function skipped({ id, level, title }: Trial, reason: string): CheckResult {
  return { id, level, title, status: "skipped", reason };
}

function isReported({ id, status }: CheckResult, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || status === "failed";
}

function withNeeds(ids: readonly string[], checks: readonly Trial[]): ReadonlySet<string> {
  const all = new Set(ids);
  // A check comes after the one it needs.
  for (const { id, needs } of checks.toReversed()) if (needs !== undefined && all.has(id)) all.add(needs);
  return all;
}

/** How the tests call the tool, and with which test runner. */
export interface DescribeOptions extends SubjectOptions {
  /** The function that defines a test: `test` of vitest, `node:test` or Jest. Pass on to `run` what the runner gives to a test. */
  readonly test: (title: string, run: (...given: readonly unknown[]) => Promise<void>) => unknown;
}

/**
 * Defines a test for each conformance check. The tests share results, so the tool starts up to 30 times for one call. A test
 * fails with an Error that says what is wrong and what to do. A check that does not apply to the tool, or needs one that failed,
 * is skipped with its reason; in Jest, whose tests cannot skip themselves, it passes.
 *
 * @throws only what `test` throws.
 */
export function describeTool(bin: string, options: DescribeOptions): void {
  const { test, ...others } = options;
  const subject = openSubject(bin, others);
  const known = new Map<string, CheckResult>();
  for (const trial of checksOf(subject.path)) {
    // Without a parameter of its own, Jest does not take the function for one that calls `done`.
    test(`${trial.id}: ${trial.title}`, async (...[context]) => {
      const result = await runTrial(trial, subject, known);
      known.set(trial.id, result);
      const { problem, advice = "" } = result;
      if (problem !== undefined) throw new Error(sentences({ problem, advice }));
      if (result.reason !== undefined) skip(context, result.reason);
    });
  }
}

/** Shows the running test as skipped. The context of vitest is a function, that of `node:test` an object. */
function skip(context: unknown, reason: string): void {
  if (typeof context !== "object" && typeof context !== "function") return;
  if (context !== null && "skip" in context && typeof context.skip === "function") context.skip(reason);
}
