// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { rateOf } from "../src/commands/tool/eval/tool-eval.ts";
import { ikigai } from "./ikigai.ts";

const packages = join(import.meta.dirname, "../../../packages");

test.each(["bash", "file_read", "file_write", "file_edit", "grep", "glob"])(
  "the recorded runs of the evals of %s pass with the tool as it is",
  async (tool) => {
    const evals = join(packages, `${tool.replace("_", "-")}-tool/evals`);
    const { exitCode, stdout, stderr } = await ikigai(["tool", "eval", tool, "--evals", evals, "--replay"]);
    expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/\n {2}all +20 of 20 passed, 100 % \(95 %: 84 to 100 %\), 0 tokens a run\n$/);
  },
  240_000,
);

/** A plain tool that counts words, the same with a fault, and an eval; the built-in interpreter runs the task. */
async function world() {
  const counts = (command: string) => `#!/bin/sh\n# @describe Count words\n# @arg file! A file\n${command}\n`;
  const dir = await tempDir({
    "home/tools/words-tool": counts('wc -w < "$argc_file"'),
    "other/words-tool": counts('wc -l < "$argc_file"'),
    "home/tools/evals/two.json": JSON.stringify({
      tool: "words",
      task: "call words",
      files: { "in/a.txt": "one two\n" },
      expect: { calls: ["words"], result: { output: "2" } },
    }),
    "home/tools/evals/shell.json": JSON.stringify({
      tool: "bash",
      task: "run cat a.txt > b.txt; echo ready",
      files: { "a.txt": "one\n" },
      expect: {
        answer: "READY",
        files: { "b.txt": "one\n", "c.txt": null },
        calls: ["bash"],
        notCalls: ["words"],
        result: { exit_code: 0 },
        check: { command: "cat b.txt nosuch", exitCode: 1 },
      },
    }),
    "home/tools/evals/recorded.json": JSON.stringify({
      two: {
        model: "m",
        runs: [{ calls: [{ name: "words", arguments: { file: "in/a.txt" } }], answer: "2", tokens: 9 }],
      },
    }),
    "project/": "",
  });
  const env = { IKIGAI_HOME: join(dir, "home") };
  const evals = join(dir, "home/tools/evals");
  const run = (...words: string[]) => ikigai(["tool", "eval", ...words], { env, cwd: join(dir, "project") });
  return { dir, evals, run };
}

test("a model does a task several times, and its runs are recorded and repeated", async () => {
  const { evals, run } = await world();
  const model = ["--model", "offline", "--evals", evals];
  const tried = await run("bash", ...model, "--runs", "2", "--record");
  expect(tried).toMatchObject({ exitCode: 0 });
  expect(tried.stdout).toBe(
    "bash:\n  shell  2 of 2 passed, 100 % (95 %: 34 to 100 %), 0 tokens a run\n  all    2 of 2 passed, 100 % (95 %: 34 to 100 %), 0 tokens a run\n",
  );
  const { shell, two } = JSON.parse(readFileSync(join(evals, "recorded.json"), "utf8"));
  expect(two.runs).toHaveLength(1);
  expect(shell.runs).toHaveLength(2);
  expect(shell.runs[0].calls).toEqual([{ name: "bash", arguments: { command: "cat a.txt > b.txt; echo ready" } }]);
  const repeated = await run("bash", "--evals", evals, "--replay", "--json");
  expect(JSON.parse(repeated.stdout)).toMatchObject([
    { eval: "shell", version: "bash", passed: 2, runs: 2, problems: [] },
  ]);
}, 60_000);

test("a version that gives another result fails, and the report says why", async () => {
  const { dir, run } = await world();
  const against = join(dir, "other/words-tool");
  const { exitCode, stdout } = await run("words", "--replay", "--against", against);
  expect(exitCode).toBe(1);
  expect(stdout).toContain("words:\n  two  1 of 1 passed");
  expect(stdout).toContain(
    '0 of 1 passed, 0 % (95 %: 0 to 79 %), 9 tokens a run\n    output in the result of words is "1", expected "2".',
  );
}, 60_000);

test("the model gets the other description, and the tool works as before", async () => {
  const { evals, run } = await world();
  const model = ["--evals", evals, "--model", "offline", "--runs", "1"];
  const { exitCode, stdout } = await run("bash", ...model, "--description", "Another text");
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).toContain("\ndescription:\n  shell  1 of 1 passed");
  const plain = await run("words", "--replay", "--description", "Another text");
  expect(plain.stderr).toContain(
    "words is a plain tool: change the comments of a copy, and compare with --against COPY.",
  );
}, 60_000);

test.each([
  ["no evals", {}, "There are no evals of words in "],
  ["no JSON", { "one.json": "{" }, "one.json: expected one JSON object."],
  ["no task", { "one.json": '{"tool":"words"}' }, 'expected "task" to be a text for the model.'],
  ["nothing expected", { "one.json": '{"tool":"words","task":"t","expect":{}}' }, 'expected "expect" to be an object.'],
  [
    "a key that does not exist",
    { "one.json": '{"tool":"words","task":"t","expect":{"anwser":"2"}}' },
    'expected "expect" to have answer, files, calls, notCalls, result, check, not "anwser" like this.',
  ],
  [
    "a file elsewhere",
    { "one.json": '{"tool":"words","task":"t","files":{"../x":""},"expect":{"answer":"2"}}' },
    "expected paths within the directory of the run, not ../x.",
  ],
  [
    "several that are no object",
    { "one.json": '{"tool":"words","evals":[]}' },
    'expected "evals" to be an object of evals by name.',
  ],
  [
    "one of several without a task",
    { "one.json": '{"tool":"words","evals":{"a":{}}}' },
    'one.json: a: expected "task" to be a text',
  ],
  [
    "no recorded run",
    { "one.json": '{"tool":"words","task":"t","expect":{"answer":"2"}}' },
    "No recorded runs of one.",
  ],
])("refuses evals with %s", async (_what, files, message) => {
  const { run, dir } = await world();
  const evals = await tempDir(files);
  const { exitCode, stdout, stderr } = await run("words", "--evals", evals, "--replay");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain(message);
  expect(existsSync(join(dir, "x"))).toBe(false);
});

test.each([
  [["--runs", "0"], "Expected --runs to be a number from 1 to 1000, got 0."],
  [["--replay", "--model", "offline"], "--replay runs no model: leave out --model, --runs and --record."],
  [["--against", "a", "--description", "b"], "Expected --against or --description, not both."],
])("refuses the options %j", async (words, message) => {
  const { run } = await world();
  const { exitCode, stderr } = await run("words", ...words);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test("the interval is Wilson's", () => {
  const rounded = (passed: number, runs: number) => {
    const { low, high } = rateOf(passed, runs);
    return [low, high].map((share) => Math.round(share * 1_000) / 1_000);
  };
  expect(rounded(0, 10)).toEqual([0, 0.278]);
  expect(rounded(10, 10)).toEqual([0.722, 1]);
  expect(rounded(5, 10)).toEqual([0.237, 0.763]);
  expect(rounded(81, 263)).toEqual([0.255, 0.366]);
});
