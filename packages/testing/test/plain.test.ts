import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTool, tempDir } from "../src/index.ts";

/** Checks a plain tool with these lines, which would leave a file if it ran. */
async function check(...lines: string[]) {
  const dir = await tempDir({ "x-tool": [...lines, 'touch "$(dirname "$0")/ran"', ""].join("\n") });
  const report = await checkTool(join(dir, "x-tool"));
  expect(existsSync(join(dir, "ran"))).toBe(false);
  const failed = report.results.filter(({ status }) => status === "failed");
  return { ...report, failed: failed.map(({ id, problem }) => ({ id, problem })) };
}

const tags = ["# @describe Try", "# @option --name! Whom"];

test("a good plain tool passes all of its checks, and does not run", async () => {
  const { ok, failed, results } = await check("#!/bin/sh", ...tags);
  expect([ok, failed]).toEqual([true, []]);
  expect(results.map(({ status }) => status)).toEqual(results.map(() => "passed"));
});

test("a wrong tag is shown with a caret", async () => {
  const { ok, failed } = await check("#!/bin/sh", "# @describe Try", "# @option name");
  expect(ok).toBe(false);
  const problem = 'x-tool:3:11: expected a name, "@option --name"\n  # @option name\n            ^';
  expect(failed).toEqual([{ id: "plain-tags", problem }]);
});

test.each([
  ["plain-interpreter", ["#!/no/such", ...tags], "Interpreter not found: /no/such."],
  ["plain-interpreter", ["#!/usr/bin/env nosuch", ...tags], "Interpreter not found on your PATH: nosuch."],
  ["plain-syntax", ["#!/bin/sh", ...tags, "if true"], "/bin/sh -n says: "],
  ["plain-begin", ["#!/bin/sh", ...tags, "", `# ${"x".repeat(16_384)}`, "# @flag --late"], "# @flag --late"],
  ["plain-size", ["#!/bin/sh", `# @describe ${"x".repeat(8_192)}`], "The schema of x has 8"],
  ["plain-described", ["#!/bin/sh", "# @describe Try", "# @arg file"], "Without a text: file."],
])("%s finds its fault", async (id, lines, problem) => {
  expect((await check(...lines)).failed).toEqual([{ id, problem: expect.stringContaining(problem) }]);
});

test("a file that another describes is checked by that one", async () => {
  const dir = await tempDir({
    "x-tool": "#!/bin/sh\n",
    "x-tool.desc": "# @describe Try\n",
    "y-tool": "#!/bin/sh\n",
    "y-tool.desc": "",
  });
  expect((await checkTool(join(dir, "x-tool"))).ok).toBe(true);
  const { results } = await checkTool(join(dir, "y-tool"), { only: ["plain-tags"] });
  expect(results).toMatchObject([{ status: "failed", problem: expect.stringContaining('has no line "# @describe') }]);
});
