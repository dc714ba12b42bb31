import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../packages/testing/src/index.ts";

interface Count {
  readonly passed?: number;
  readonly repeated?: number;
  readonly failed?: number;
}

async function count({ passed = 0, repeated = 0, failed = 0 }: Count): Promise<string> {
  const some = (length: number, status: string, failureMessages: readonly string[]) =>
    Array.from({ length }, (_, index) => ({ fullName: `${status} ${index}`, status, failureMessages }));
  const assertionResults = [
    ...some(passed, "passed", []),
    ...some(repeated, "passed", ["too slow"]),
    ...some(failed, "failed", ["wrong"]),
  ];
  const cwd = await tempDir();
  const testResults = [{ name: join(cwd, "a.test.ts"), status: failed > 0 ? "failed" : "passed", assertionResults }];
  const report = { numPassedTests: passed + repeated, numFailedTests: failed, testResults };
  const project = await tempDir({ ".turbo/tests.json": JSON.stringify(report) });
  const script = join(import.meta.dirname, "../count-tests.mjs");
  return spawnSync(process.execPath, [script], { cwd: project, encoding: "utf8" }).stdout;
}

test("lists what failed", async () => {
  expect(await count({ passed: 2, failed: 1 })).toMatch(/^FAILED: .*a\.test\.ts: failed 0\n2 passed, 1 failed\n$/);
});

test("three tests may need a second attempt, and are listed; four have failed", async () => {
  expect(await count({ passed: 1, repeated: 3 })).toMatch(/^(PASSED ONLY WHEN REPEATED: .*\n){3}4 passed, 0 failed\n$/);
  expect(await count({ passed: 1, repeated: 4 })).toMatch(/^(FAILED: PASSED ONLY .*\n){4}1 passed, 4 failed\n$/);
});
