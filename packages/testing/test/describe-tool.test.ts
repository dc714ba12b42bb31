import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { conformance, describeTool, tempDir } from "../src/index.ts";
import { nodeTool } from "./tool-source.ts";

/** What a test runner would be told, run one after the other. */
async function problemsOf(bin: string): Promise<Map<string, string | undefined>> {
  const tests: [title: string, run: () => Promise<void>][] = [];
  describeTool(bin, { test: (...one) => tests.push(one) });
  const problems = new Map<string, string | undefined>();
  for (const [title, run] of tests) {
    problems.set(
      title,
      await run().then(
        () => undefined,
        (error: Error) => error.message,
      ),
    );
  }
  return problems;
}

test("defines a test for each check, which together start the tool up to 30 times", async () => {
  const dir = await tempDir({ starts: "" });
  const tool = nodeTool({}).replace(
    "\n",
    `\nrequire("node:fs").appendFileSync(${JSON.stringify(`${dir}/starts`)}, "x");\n`,
  );
  const problems = await problemsOf(join(await tempDir({ "shout-tool": tool }), "shout-tool"));
  expect([...problems]).toEqual(conformance.map(({ id, title }) => [`${id}: ${title}`, undefined]));
  expect(readFileSync(`${dir}/starts`, "utf8").length).toBeLessThanOrEqual(30);
});

test("a failed test says what is wrong", async () => {
  const tool = nodeTool({ check: "", answer: "console.log('{}');" });
  const problems = await problemsOf(join(await tempDir({ "shout-tool": tool }), "shout-tool"));
  const failed = [...problems].filter(([, problem]) => problem !== undefined);
  expect(failed.map(([title]) => title.split(":")[0])).toContain("refuses-missing-parameter");
  expect(failed[0]?.[1]).toMatch(/With the input \{\}, it/);
});
