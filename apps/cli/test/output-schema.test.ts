// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";

const schema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };

async function print(steps: readonly Step[], args: readonly string[] = [], schemaText = JSON.stringify(schema)) {
  const { env, requests } = await startModel(steps);
  const cwd = await tempDir({ "s.json": schemaText });
  const given = ["-p", "count", "--model", "openai-compatible/m", "--output-schema", "s.json", ...args];
  return { ...(await ikigai(given, { cwd, env })), requests };
}

test("an answer that does not fit is corrected twice", async () => {
  const steps = [{ text: "There are three." }, { text: '{"n": "3"}' }, { text: '{"n": 3}' }];
  const { exitCode, stdout, requests } = await print(steps, ["--output-format", "json"]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ result: '{"n": 3}', structured: { n: 3 }, turns: 3 });
  expect(requests[0]?.messages[0]?.content).toContain(JSON.stringify(schema));
  const corrections = requests.slice(1).map(({ messages }) => messages.at(-1)?.content);
  expect(corrections).toEqual([
    expect.stringMatching(/^Your answer does not fit the output schema\. The answer is not JSON: .*There are/),
    expect.stringContaining('Expected "answer.n" to be a number, got "3".'),
  ]);
});

test("text is the JSON alone", async () => {
  const text = 'Here it is:\n\n```json\n{\n  "n": 12345678901234567890\n}\n```\nAnything else?';
  const { exitCode, stdout } = await print([{ text }]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{\n  "n": 12345678901234567890\n}\n' });
});

test("the model may call tools before and between answers", async () => {
  const call = { calls: [{ name: "glob", arguments: { pattern: "*" } }] };
  const { exitCode, stdout } = await print([call, { text: "One." }, call, { text: '{"n":1}' }]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"n":1}\n' });
});

describe("an answer that never fits", () => {
  const steps = Array.from({ length: 5 }, () => ({ text: '{"m":1}' }));

  test("fails after two corrections and prints nothing", async () => {
    const { exitCode, stdout, stderr, requests } = await print(steps);
    expect({ exitCode, stdout, requests: requests.length }).toEqual({ exitCode: 1, stdout: "", requests: 3 });
    expect(stderr).toBe(
      `ikigai: The model gave no answer that fits the output schema. Expected "answer" to have required property 'n', got {"m":1}.\n`,
    );
  });

  test("has a code and no structured answer in stream-json", async () => {
    const { exitCode, stdout } = await print(steps, ["--output-format", "stream-json"]);
    const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(result).toMatchObject({ type: "result", reason: "failed", error: { code: "output_schema" } });
    expect({ exitCode, has: "structured" in result }).toEqual({ exitCode: 1, has: false });
  });

  test("counts as a turn that --max-turns limits", async () => {
    const { exitCode, stdout, requests } = await print(steps, ["--max-turns", "2", "--output-format", "json"]);
    expect({ exitCode, requests: requests.length }).toEqual({ exitCode: 1, requests: 2 });
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "max_steps" } });
  });
});

test.each([
  ["two code blocks", "```\n{}\n```\n```\n{}\n```"],
  ["a code block that never ends", '```json\n{"n":1}'],
  ["JSON with a sentence before it", 'It is {"n":1}'],
  ["an empty answer", ""],
])("%s does not fit", async (_, text) => {
  const { stdout, requests } = await print([{ text }, { text: '{"n":1}' }]);
  expect({ stdout, requests: requests.length }).toEqual({ stdout: '{"n":1}\n', requests: 2 });
});

test("a pattern that backtracks without end ends the check of an answer", async () => {
  const pattern = JSON.stringify({ type: "string", pattern: "^(a+)+$" });
  const steps = [{ text: JSON.stringify(`${"a".repeat(60)}!`) }, { text: '"aaa"' }];
  const { exitCode, stdout, requests } = await print(steps, [], pattern);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '"aaa"\n' });
  expect(requests[1]?.messages.at(-1)?.content).toContain("took more than 2 s");
});

test("the offline interpreter's answer is not corrected", async () => {
  const cwd = await tempDir({ "s.json": JSON.stringify(schema) });
  const args = ["-p", "run echo hi", "--allow", "bash", "--model", "offline", "--output-schema", "s.json"];
  const { exitCode, stdout, stderr } = await ikigai(args, { cwd });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /^ikigai: The offline interpreter's answer does not fit the output schema\. The answer is not JSON: .*hi/m,
  );
  expect(stderr).not.toContain("I do not understand");
});

test("a response that was cut off is not corrected", async () => {
  const { exitCode, stdout, requests } = await print([{ text: '{"n":1}', finish: "length" }]);
  expect({ exitCode, stdout, requests: requests.length }).toEqual({ exitCode: 1, stdout: "", requests: 1 });
});

test.each([
  ["{", /^ikigai: --output-schema s\.json is not JSON: /],
  ['{"type": "text"}', /^ikigai: --output-schema s\.json is not a usable JSON Schema\. Expected "schema\.type" to be/],
  ["7", /to be a JSON Schema, got 7/],
])("a file with %j is a usage error and sends nothing", async (text, problem) => {
  const { exitCode, stdout, stderr, requests } = await print([], [], text);
  expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: "", requests: [] });
  expect(stderr).toMatch(problem);
});

test("a missing file and a missing -p are usage errors", async () => {
  const missing = await ikigai(["-p", "x", "--output-schema", "none.json"]);
  expect(missing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("none.json: no such file or directory."),
  });
  const alone = await ikigai(["--output-schema", "none.json", "x"]);
  expect(alone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--output-schema needs -p "PROMPT".') });
});
