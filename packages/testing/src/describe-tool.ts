import { look } from "./check.ts";
import { trials } from "./conformance.ts";
import { openSubject, type SubjectOptions } from "./subject.ts";

/** How the tests call the tool, and with which test runner. */
export interface DescribeOptions extends SubjectOptions {
  /** The function that defines a test: `test` of vitest, `node:test` or Jest. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
}

/**
 * Defines a test for each conformance check. The tests share results, so the tool starts up to 30 times for one call. A test
 * fails with an Error that says what is wrong and what to do.
 */
export function describeTool(bin: string, options: DescribeOptions): void {
  const { test, ...others } = options;
  const subject = openSubject(bin, others);
  for (const trial of trials) {
    test(`${trial.id}: ${trial.title}`, async () => {
      const finding = await look(trial, subject);
      if (typeof finding === "string") throw new Error(finding);
    });
  }
}
