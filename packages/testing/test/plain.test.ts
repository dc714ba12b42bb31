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
  const call = results.find(({ id }) => id === "plain-call");
  expect(call).toMatchObject({ status: "skipped", reason: "needs a real call, and none was given: --call '{…}'" });
  for (const result of results) expect(result).toMatchObject({ status: result === call ? "skipped" : "passed" });
});

const argc = '#!/bin/bash\n# @describe Try\n# @option --name! Whom\nmain() { echo "$argc_name" >> "$LLM_OUTPUT"; }\n';

test.each([
  ["#!/bin/sh\n# @describe Try\n# @option --name! Whom\necho $2 $argc_name\n", { name: "Ada" }, undefined],
  ["# @describe Try\n# @option --name! Whom\necho $2 $argc_name\n", { name: "Ada" }, undefined],
  ["#!/bin/sh\n# @describe Try\necho wrong\nexit 3\n", {}, undefined],
  [`${argc}eval "$(argc --argc-eval "$0" "$@")"\n`, { name: "Ada" }, undefined],
  ["#!/bin/sh\n# @describe Try\n# @option --name! Whom\n", {}, "Called with {}: name: is required."],
  ["#!/bin/sh\n# @describe Try\nexit 3\n", {}, "Called with {}: it exited with code 3."],
  ["#!/bin/sh\n# @describe Try\nnosuch-program\n", {}, "it exited with code 127"],
  ["#!/bin/sh\n# @describe Try\nkill -SEGV $$\n", {}, "it was killed by signal 11 (SIGSEGV)"],
  [
    "#!/bin/sh\n# @describe Try\n# @env NO_SUCH_KEY! a key\n",
    {},
    "it needs the variable NO_SUCH_KEY, which is not set",
  ],
])("--call runs it as a host does: %j", async (content, call, problem) => {
  const dir = await tempDir({ "x-tool": content });
  const { results } = await checkTool(join(dir, "x-tool"), { calls: [call], only: ["plain-call"] });
  expect(results.at(-1)).toMatchObject(
    problem === undefined
      ? { id: "plain-call", status: "passed" }
      : { status: "failed", problem: expect.stringContaining(problem) },
  );
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
