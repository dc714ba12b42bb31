import { type Check, look, type Trial } from "./check.ts";
import { trials } from "./conformance.ts";
import { openSubject, type Subject, type SubjectOptions } from "./subject.ts";
import { toolName } from "./tool-name.ts";

/** What became of one check. */
export interface CheckResult {
  readonly id: string;
  readonly level: Check["level"];
  readonly title: string;
  readonly status: "passed" | "failed" | "skipped";
  /** What is wrong and what to do, when it failed. */
  readonly problem?: string;
  /** Why it was skipped: what it needs did not pass, or it says nothing about such a tool. */
  readonly reason?: string;
}

/** How a tool keeps the protocol. */
export interface Report {
  /** The tool's file. */
  readonly path: string;
  /** As a model calls it. */
  readonly name: string;
  /** Whether no `must` failed. */
  readonly ok: boolean;
  /** In the order of `conformance`. */
  readonly results: readonly CheckResult[];
}

/** What is tried, and with what. */
export interface CheckOptions extends SubjectOptions {
  /** The ids of the checks that are wanted; all unless told. What they need is tried too, and reported where it fails. */
  readonly only?: readonly string[] | undefined;
  /** The ids of checks that are left out; those that need them are tried all the same. */
  readonly skip?: readonly string[] | undefined;
  /** Is given each result as soon as it is known. */
  readonly onResult?: ((result: CheckResult) => void) | undefined;
}

/** Tries a tool on the whole conformance list, one check after the other. The tool is run, many times. */
export async function checkTool(bin: string, options: CheckOptions = {}): Promise<Report> {
  const subject = openSubject(bin, options);
  const { only, skip = [], onResult } = options;
  const wanted = only && withNeeds(only);
  const known = new Map<string, CheckResult>();
  for (const trial of trials.filter(({ id }) => wanted?.has(id) ?? true)) {
    const result = skip.includes(trial.id) ? skipped(trial, "left out") : await tryOne(trial, subject, known);
    known.set(trial.id, result);
    if (isReported(result, only)) onResult?.(result);
  }
  const results = [...known.values()].filter((result) => isReported(result, only));
  const ok = results.every(({ level, status }) => level === "should" || status !== "failed");
  return { path: subject.path, name: toolName(subject.path), ok, results };
}

async function tryOne(trial: Trial, subject: Subject, known: ReadonlyMap<string, CheckResult>): Promise<CheckResult> {
  const obstacle = trial.needs === undefined ? undefined : obstacleIn(trial.needs, known);
  if (obstacle !== undefined) return skipped(trial, `it needs ${obstacle}`);
  const finding = await look(trial, subject);
  if (typeof finding === "object") return skipped(trial, finding.notTried);
  const { id, level, title } = trial;
  return {
    id,
    level,
    title,
    status: finding === undefined ? "passed" : "failed",
    ...(finding && { problem: finding }),
  };
}

/** What failed among what a check needs, directly or not. */
function obstacleIn(id: string, known: ReadonlyMap<string, CheckResult>): string | undefined {
  if (known.get(id)?.status === "failed") return id;
  const { needs } = trials.find((trial) => trial.id === id) ?? {};
  return needs === undefined ? undefined : obstacleIn(needs, known);
}

function skipped({ id, level, title }: Trial, reason: string): CheckResult {
  return { id, level, title, status: "skipped", reason };
}

function isReported({ id, status }: CheckResult, only: readonly string[] | undefined): boolean {
  return only === undefined || only.includes(id) || status === "failed";
}

function withNeeds(ids: readonly string[]): ReadonlySet<string> {
  const all = new Set(ids);
  // What is needed stands before what needs it.
  for (const { id, needs } of trials.toReversed()) if (needs !== undefined && all.has(id)) all.add(needs);
  return all;
}
