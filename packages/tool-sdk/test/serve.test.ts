// @module-tag sampled
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { output, parameters } from "./fixtures/sample-tool/src/schema.ts";

const folder = fileURLToPath(new URL("./fixtures/sample-tool", import.meta.url));
const bin = join(folder, "dist/sample-tool");

beforeAll(() => {
  execFileSync("node", ["../../../build/build-tool.mjs"], { cwd: folder, stdio: "inherit" });
});

describe("a tool made with the SDK", () => describeTool(bin, { test }));

describe("options", () => {
  test("--schema prints both schemas and the package's version", async () => {
    const { result } = await call(bin, "", { args: ["--schema"] });
    const description = "Repeat a text";
    expect(result).toEqual({
      name: "sample",
      description,
      parameters,
      outputSchema: {
        ...output,
        properties: { ...output.properties, ignored: expect.objectContaining({ type: "array" }) },
      },
      ikigai: { version: "1.2.3", host: ["show"] },
    });
  });

  test("--version and --help print version and usage", async () => {
    expect(await call(bin, "", { args: ["--version"] })).toMatchObject({ exitCode: 0, stdout: "1.2.3\n" });
    expect((await call(bin, "", { args: ["--help"] })).stdout).toContain(`echo '{"text":"…"}' | sample-tool`);
  });

  test("prints its usage and exits 2 for any other option", async () => {
    expect(await call(bin, "", { args: ["--nonsense"] })).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(/^Expected --schema, --help or --version, got "--nonsense"\.\n\nsample-tool: /),
    });
  });
});

describe("arguments", () => {
  test.each([
    ["", "Expected a JSON object on stdin, got nothing."],
    ["[1]", "Expected a JSON object on stdin, got [1] (array)."],
    ["null", "Expected a JSON object on stdin, got null."],
    ['"x"', 'Expected a JSON object on stdin, got "x" (string).'],
    ["{}", 'Expected "text" (string), which is missing: What to repeat.'],
    ['{"text":null}', 'Expected "text" (string), which is missing: What to repeat.'],
  ])("%j: exit code 1, and %j", async (input, reason) => {
    expect(await call(bin, input)).toEqual({ exitCode: 1, stdout: "", stderr: `${reason}\n` });
  });

  test.each([
    ['{"text":5.5}', 'Expected "text" to be a string, got 5.5 (number).'],
    ['{"text":"a","times":"2s"}', 'Expected "times" to be an integer, got "2s" (string).'],
    ['{"text":"a","times":"1.5"}', 'Expected "times" to be an integer, got "1.5" (string).'],
    ['{"text":"a","times":1.5}', 'Expected "times" to be an integer, got 1.5 (number).'],
    ['{"text":"a","times":-1}', 'Expected "times" to be >= 0, got -1 (number).'],
    ['{"text":"a","format":"xml"}', 'Expected "format" to be "text" or "json", got "xml" (string).'],
  ])("%j: an answer with %j", async (input, error) => {
    expect(await call(bin, input)).toEqual({ exitCode: 0, result: { error, error_code: "INVALID_PARAMS" } });
  });

  test("that are not UTF-8 are rejected", async () => {
    const stderr = "Expected a JSON object in UTF-8 on stdin, got bytes that are not UTF-8.\n";
    const end = await call(bin, Buffer.from('{"text":"\xe9"}', "latin1"));
    expect(end).toEqual({ exitCode: 1, stdout: "", stderr });
  });

  test("from an unreadable stdin are rejected in one line", () => {
    const { status, stderr } = spawnSync(bin, { stdio: [openSync("/", "r"), "pipe", "pipe"], encoding: "utf8" });
    const reason = "Expected a JSON object on stdin, which cannot be read: EISDIR.\n";
    expect({ status, stderr }).toEqual({ status: 1, stderr: reason });
  });

  test("that are broken JSON are rejected in one line", async () => {
    const { exitCode, stderr } = await call(bin, '{"text":\n\u001b[31m }');
    expect({ exitCode, lines: stderr.trimEnd().split("\n").length }).toEqual({ exitCode: 1, lines: 1 });
  });

  test.each([
    ['{"text":"a","times":null}', "a"],
    ['{"words":"b"}', "b"],
    ['{"text":null,"words":"b"}', "b"],
    ['{"text":"a","unknown":null}', "a"],
    [' \n{"text":"a"}\n ', "a"],
  ])("%s is accepted", async (input, text) => {
    expect(await call(bin, input)).toEqual({ exitCode: 0, result: { output: text, count: 1 } });
  });

  test.each([
    ['{"text":"a","unknown":1}', ["unknown"]],
    ['{"text":"a","-n":true,"head_limit":5}', ["-n", "head_limit"]],
    ['{"text":"a","words":"b"}', ["words"]],
    ['{"__proto__":{"times":3},"text":"a"}', ["__proto__"]],
    ['{"text":"a","toString":1}', ["toString"]],
    [`{"text":"a","${"x".repeat(39)}😀x":1}`, [`${"x".repeat(39)}…`]],
    [`{"text":"a","${"x".repeat(40)}":1}`, ["x".repeat(40)]],
  ])("%s is answered, and the answer lists the ignored fields", async (input, ignored) => {
    expect(await call(bin, input)).toEqual({ exitCode: 0, result: { output: "a", count: 1, ignored } });
  });

  test.each([
    [10, 0],
    [11, 1],
  ])("lists at most ten of %d ignored fields", async (count, left) => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
    const ignored = (await call(bin, { text: "a", ...unknown })).result?.ignored as string[];
    expect(ignored).toHaveLength(10 + left);
    expect(ignored.slice(10)).toEqual(left === 0 ? [] : ["… 1 more"]);
  });

  test("an error lists the ignored fields too", async () => {
    const { result } = await call(bin, { text: "a", fail: "operation", limit: 1 });
    expect(result).toMatchObject({ error: "Nothing there", ignored: ["limit"] });
  });

  test("may be megabytes", async () => {
    const text = "x".repeat(5_000_000);
    expect((await call(bin, { text })).result).toEqual({ output: text, count: 1 });
  });
});

describe("an answer", () => {
  test("is one object without a newline at the end, as JSON.stringify prints it", async () => {
    const text = 'é "\\ \u0000 \u2028 \ud83d\ude00';
    expect((await call(bin, { text })).stdout).toBe(JSON.stringify({ output: text, count: 1 }));
  });

  test("to a failed operation is an error with its details and exit code 0", async () => {
    const result = { error: "Nothing there", error_code: "NOT_FOUND", hint: "Look elsewhere", lines: [3] };
    expect(await call(bin, { text: "a", fail: "operation" })).toEqual({ exitCode: 0, result });
  });

  test("is not printed after a bug: exit code 1, and the stack on stderr", async () => {
    const { exitCode, stdout, stderr } = await call(bin, { text: "a", fail: "bug" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(/^TypeError: a bug\n +at /);
  });

  test("is not printed after a bug with a timer open and much on stderr: exits at once, and the log is complete", async () => {
    const { exitCode, stdout, stderr, timedOut } = await call(bin, { text: "a", fail: "bug with much open" });
    expect({ exitCode, stdout, timedOut }).toEqual({ exitCode: 1, stdout: "", timedOut: undefined });
    expect(stderr.replace(/^x{1000000}/, "")).toMatch(/^TypeError: a bug\n +at /);
  });

  test("that never comes is a failure, even if nothing keeps the process running", async () => {
    expect(await call(bin, { text: "a", fail: "wait for nothing" })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "run did not return: nothing that it waits for keeps the process running\n",
    });
  });

  test("with a fraction where its schema has an integer is a bug, too", async () => {
    const { exitCode, stdout, stderr } = await call(bin, { text: "a", fail: "fraction" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(
      /^TypeError: Cannot print "count" in the answer: Expected an integer, got 1\.5 \(number\)\.\n +at /,
    );
  });

  test("that cannot be written is an error", () => {
    const stdio = ["pipe", openSync("/dev/full", "w"), "pipe"] as const;
    const { status, stderr } = spawnSync(bin, { input: '{"text":"a"}', stdio: [...stdio], encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 1, stderr: "Cannot write the answer: ENOSPC\n" });
  });

  test.each([{ IKIGAI_MAX_OUTPUT_BYTES: "200" }, { IKIGAI_MAX_OUTPUT_BYTES: "65536", IKIGAI_ANSWER_BYTES: "200" }])(
    "stays within the host's limit and what is worth reading: %j",
    async (env) => {
      const { stdout, result } = await call(bin, { text: "some line", times: 100 }, { env });
      expect(stdout.length).toBeLessThanOrEqual(200);
      expect(result).toEqual({ output: expect.stringMatching(/^(some line\n)+$/), count: 100, truncated: true });
    },
  );
});

test.each(["-5", "0", "many", ""])("ignores the limit %j", async (limit) => {
  const env = { IKIGAI_MAX_OUTPUT_BYTES: limit };
  expect((await call(bin, { text: "a" }, { env })).result).toEqual({ output: "a", count: 1 });
});

test("answers one call if the host wants it to serve several, which it does not declare", async () => {
  const env = { IKIGAI_SERVE: "1" };
  expect((await call(bin, { text: "a" }, { env })).result).toEqual({ output: "a", count: 1 });
});

test("runs under any package.json", async () => {
  const dir = await tempDir({ "package.json": '{"type":"module"}', "commonjs/package.json": '{"type":"commonjs"}' });
  for (const place of [dir, join(dir, "commonjs")]) {
    copyFileSync(bin, join(place, "copied-tool"));
    expect((await call(join(place, "copied-tool"), { text: "a" })).result).toEqual({ output: "a", count: 1 });
  }
});
