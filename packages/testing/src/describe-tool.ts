import { sentences } from "./check.ts";
import { type CheckResult, runTrial } from "./check-tool.ts";
import { trials } from "./conformance.ts";
import { openSubject, type SubjectOptions } from "./subject.ts";

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
  for (const trial of trials) {
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
