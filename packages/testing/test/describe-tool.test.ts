// @module-tag sampled
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conformance, describeTool, tempDir } from "../src/index.ts";
import { nodeTool, withSchema } from "./tool-source.ts";

/** The outcome of each test, run one after the other with what a runner gives to its tests. */
async function outcomesOf(bin: string, ...given: readonly unknown[]): Promise<Map<string, string | undefined>> {
  const tests: [title: string, run: (...given: readonly unknown[]) => Promise<void>][] = [];
  describeTool(bin, { test: (...one) => tests.push(one) });
  const outcomes = new Map<string, string | undefined>();
  for (const [title, run] of tests) {
    outcomes.set(
      title,
      await run(...given).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    );
  }
  return outcomes;
}

test("defines a test for each check, which together start the tool up to 30 times", async () => {
  const dir = await tempDir({ starts: "" });
  const tool = nodeTool({}).replace(
    "\n",
    `\nrequire("node:fs").appendFileSync(${JSON.stringify(`${dir}/starts`)}, "x");\n`,
  );
  const problems = await outcomesOf(join(await tempDir({ "shout-tool": tool }), "shout-tool"));
  expect([...problems]).toEqual(conformance.map(({ id, title }) => [`${id}: ${title}`, undefined]));
  expect(readFileSync(`${dir}/starts`, "utf8").length).toBeLessThanOrEqual(30);
});

test("a failed test says what is wrong", async () => {
  const tool = nodeTool({ check: "", answer: "console.log('{}');" });
  const problems = await outcomesOf(join(await tempDir({ "shout-tool": tool }), "shout-tool"));
  const failed = [...problems].filter(([, problem]) => problem !== undefined);
  expect(failed.map(([title]) => title.split(":")[0])).toContain("refuses-missing-parameter");
  expect(failed[0]?.[1]).toMatch(/Given the input `\{\}`, the tool .* The host does not check the arguments\./);
});

test("skips a check that does not apply, where the runner's context can", async () => {
  const bin = join(await tempDir({ "shout-tool": withSchema({ annotations: {} }) }), "shout-tool");
  const skip = (reason: string) => {
    throw new Error(`skipped: ${reason}`);
  };
  for (const context of [{ skip }, Object.assign(() => {}, { skip })]) {
    const outcomes = await outcomesOf(bin, context);
    expect(outcomes.get(titleOf("schema"))).toBeUndefined();
    expect(outcomes.get(titleOf("answers"))).toMatch(/^skipped: needs a real call/);
  }
  expect((await outcomesOf(bin)).get(titleOf("answers"))).toBeUndefined();
});

test("skips a check that needs one that failed", async () => {
  const bin = join(await tempDir({ "shout-tool": { content: "", mode: 0o644 } }), "shout-tool");
  const outcomes = await outcomesOf(bin);
  expect(outcomes.get(titleOf("executable"))).toMatch(/is not executable/);
  expect(outcomes.get(titleOf("answers"))).toBeUndefined();
});

function titleOf(wanted: string): string {
  return conformance.filter(({ id }) => id === wanted).map(({ id, title }) => `${id}: ${title}`)[0] ?? "";
}
