import { look } from "./check.ts";
import { trials } from "./conformance.ts";
import { openSubject, type SubjectOptions } from "./subject.ts";

/** What a tool is tried with, and by whom. */
export interface DescribeOptions extends SubjectOptions {
  /** Defines a test: `test` of vitest, `node:test` or Jest. */
  readonly test: (title: string, run: () => Promise<void>) => unknown;
}

/**
 * Defines a test for each check of the conformance list. The tests share what they learn, so that the tool is started about
 * twenty times in all. A test fails with an Error that says what is wrong, and what to do.
 */
export function describeTool(bin: string, { test, ...options }: DescribeOptions): void {
  const subject = openSubject(bin, options);
  for (const trial of trials) {
    test(`${trial.id}: ${trial.title}`, async () => {
      const finding = await look(trial, subject);
      if (typeof finding === "string") throw new Error(finding);
    });
  }
}
