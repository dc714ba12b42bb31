// Promises 7 and 9 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { callTool, execute, type FailedTool, findTool } from "../src/index.ts";
import { circumstances, fixtures } from "./world.ts";

const registry = await fixtures();

async function call(name: string, args = "{}", options: Parameters<typeof circumstances>[0] = {}) {
  return callTool(registry, name, args, await circumstances(options));
}

/** Calls a tool that prints these bytes. */
async function callPrinting(bytes: string | Uint8Array, options: Parameters<typeof circumstances>[0] = {}) {
  const dir = await tempDir({ answer: bytes });
  return call("print", "{}", { ...options, env: { ...process.env, PRINT_FILE: join(dir, "answer") } });
}

test("passes the arguments unchanged, and wraps the answer", async () => {
  const outcome = await call("echo", '{ "n": 12345678901234567890, "a": "é" }');
  expect(outcome.json).toBe('{"tool_success":true,"result":{"got":{ "n": 12345678901234567890, "a": "é" }}}');
  expect(outcome.envelope).toMatchObject({ tool_success: true, result: { got: { a: "é" } } });
  expect(outcome.notes).toEqual([]);
  expect(outcome.durationMs).toBeGreaterThan(0);
});

test("runs in the given directory, with the session's and the call's variables", async () => {
  const env = { PATH: process.env.PATH, EDITOR: "vim", PAGER: "less", TERM: "xterm" };
  const options = await circumstances({ env, timeoutMs: 5_000, maxOutputBytes: 4_096 });
  const where = await callTool(registry, "where", "{}", options);
  expect(where.envelope).toEqual({ tool_success: true, result: { cwd: options.cwd } });
  const { envelope } = await callTool(registry, "environment", "{}", options);
  const text = envelope.tool_success ? String(envelope.result.env) : "";
  const got = Object.fromEntries(text.split(";").map((line) => line.split("=")));
  expect(got).toMatchObject({
    AGENT: "ikigai",
    DEBIAN_FRONTEND: "noninteractive",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
    TERM: "dumb",
    IKIGAI_CALL_ID: options.callId,
    IKIGAI_MAX_OUTPUT_BYTES: "4096",
    IKIGAI_PROGRESS_FD: "3",
    IKIGAI_PROJECT_DIR: options.projectDir,
    IKIGAI_PROTOCOL: "1",
    IKIGAI_SESSION_ID: options.sessionId,
    IKIGAI_TIMEOUT_MS: "5000",
    IKIGAI_TOOL_DIR: join(import.meta.dirname, "fixtures"),
    IKIGAI_TOOL_NAME: "environment",
    IKIGAI_TOOL_SCOPE: "system",
  });
});

test.each(["user", "project"] as const)("keeps Python from writing files beside a tool of the %s", async (scope) => {
  const found = findTool(registry, "environment");
  if (!found) throw new Error("The fixture is missing.");
  const env = { PATH: process.env.PATH };
  expect((await execute({ ...found, scope }, "{}", await circumstances({ env }))).json).toContain(
    "PYTHONDONTWRITEBYTECODE=1",
  );
  expect((await call("environment", "{}", { env })).json).not.toContain("PYTHONDONTWRITEBYTECODE");
});

test("withholds the model providers' keys", async () => {
  const keys = { ANTHROPIC_API_KEY: "k1", OPENAI_API_KEY: "k2", GEMINI_API_KEY: "k3", OPENAI_COMPATIBLE_API_KEY: "k4" };
  const env = { PATH: process.env.PATH, BRAVE_API_KEY: "mine", GIT_TERMINAL_PROMPT: "1", ...keys };
  const plain = await call("environment", "{}", { env });
  expect(plain.json).not.toMatch(/=k\d/);
  expect(plain.json).toContain("BRAVE_API_KEY=mine");
  expect(plain.json).toContain("GIT_TERMINAL_PROMPT=1");
});

test("passes a key to a tool that names it, unless it is the project's", async () => {
  const found = findTool(registry, "environment");
  if (!found) throw new Error("The fixture is missing.");
  const wanting = { ...found, schema: { ...found.schema, ikigai: { needs: { env: ["OPENAI_API_KEY"] } } } };
  const options = await circumstances({ env: { PATH: process.env.PATH, OPENAI_API_KEY: "k2", GEMINI_API_KEY: "k3" } });
  const given = await execute(wanting, "{}", options);
  expect(given.json).toContain("OPENAI_API_KEY=k2");
  expect(given.json).not.toContain("GEMINI_API_KEY");
  const refused = await execute({ ...wanting, scope: "project" }, "{}", options);
  expect(refused.json).not.toContain("OPENAI_API_KEY");
});

test("reports a crash with the exit code and both streams", async () => {
  expect((await call("crash")).envelope).toEqual({
    tool_success: false,
    error: "Tool 'crash' crashed with exit code 3",
    error_code: "TOOL_CRASHED",
    exit_code: 3,
    stdout: "half an answer\n",
    stderr: "oops\n",
  });
});

test("reports exit code 1 with one line on stderr as a refused call, with that line", async () => {
  const { envelope } = await call("print", "{}", { env: { ...process.env, LC_ALL: "C", PRINT_FILE: "/nowhere" } });
  expect(envelope).toMatchObject({
    error: "Tool 'print' refused the call: cat: /nowhere: No such file or directory",
    error_code: "TOOL_CRASHED",
    exit_code: 1,
  });
});

test("reports a signal as 128 plus its number, and names it", async () => {
  expect((await call("segfault")).envelope).toMatchObject({
    error: "Tool 'segfault' crashed with exit code 139 (killed by SIGSEGV)",
    error_code: "TOOL_CRASHED",
    exit_code: 139,
  });
});

test.each([
  ["", "it is empty"],
  [" \n", "it is empty"],
  ["{", "the text ends early at byte 1"],
  ['{"a":}', "unexpected } at byte 5"],
  ["{} {}", "more text after the value at byte 3"],
  ['{"a":1} trailing', "more text after the value at byte 8"],
  ['{"a":NaN}', "unexpected N at byte 5"],
  ['{"a":"\0"}', "unexpected byte 0x0 at byte 6"],
  ['\uFEFF{"a":1}', "a byte order mark at byte 0"],
  ["42", "expected an object, got a number"],
  ["null", "expected an object, got null"],
  ["[]", "expected an object, got an array"],
  ['"text"', "expected an object, got a string"],
])("rejects %j as an answer", async (printed, problem) => {
  expect((await callPrinting(printed)).envelope).toEqual({
    tool_success: false,
    error: `Tool 'print' returned invalid JSON: ${problem}`,
    error_code: "INVALID_OUTPUT",
    exit_code: 0,
    stdout: printed,
    stderr: "",
  });
});

test.each([
  ["a stray byte", [0xff]],
  ["a truncated character", [0xe2, 0x82]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
])("rejects %s as an answer, and shows it as U+FFFD", async (_, bytes) => {
  const printed = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
  const { envelope } = await callPrinting(printed);
  expect(envelope).toMatchObject({
    error_code: "INVALID_OUTPUT",
    error: "Tool 'print' returned invalid JSON: it is not UTF-8",
  });
  expect(envelope).toHaveProperty("stdout", expect.stringContaining("\uFFFD"));
});

test("joins a character split over two chunks", async () => {
  expect((await call("split_character")).envelope).toEqual({ tool_success: true, result: { text: "é" } });
});

test("keeps what parsing and serializing would lose", async () => {
  const text = '{"__proto__":{"polluted":true},"big":98765432109876543210,"huge":1e400,"a":1,"a":2,"nul":"\\u0000"}';
  const { json, envelope } = await callPrinting(`${text}\n`);
  expect(json).toBe(`{"tool_success":true,"result":${text}}`);
  expect({}).not.toHaveProperty("polluted");
  expect(envelope).toHaveProperty("result.a", 2);
});

test("puts a multi-line answer on one line", async () => {
  const { json } = await callPrinting('{\n  "a": [\r\n    1,\n    "x\\ny  z"\n  ]\n}\n');
  expect(json).toBe('{"tool_success":true,"result":{"a": [1,"x\\ny  z"]}}');
});

test("takes a thousand levels of nesting, and survives more", async () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}1${"]".repeat(levels - 1)}}`;
  expect((await callPrinting(nested(1_000))).json).toBe(`{"tool_success":true,"result":${nested(1_000)}}`);
  for (const levels of [1_001, 30_000]) {
    const { envelope } = await callPrinting(nested(levels));
    const error = expect.stringContaining("returned invalid JSON: it has more than 1000 levels");
    expect(envelope).toMatchObject({ error, error_code: "INVALID_OUTPUT" });
  }
  const unclosed = await callPrinting("[".repeat(60_000));
  expect(unclosed.envelope).toMatchObject({ error_code: "INVALID_OUTPUT" });
});

test("survives a tool that does not read its input, whatever its size", async () => {
  for (const args of ["{}", JSON.stringify({ text: "x".repeat(10_000_000) })]) {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call("deaf", args)));
    for (const { envelope } of outcomes) expect(envelope).toEqual({ tool_success: true, result: {} });
  }
});

test("sends ten megabytes of arguments to a tool that reads them", async () => {
  const args = JSON.stringify({ text: "x".repeat(10_000_000) });
  const { envelope, overflowFile } = await call("echo", args);
  expect(envelope.tool_success).toBe(true);
  expect(overflowFile).toBeDefined();
});

test("passes no terminal, and only four descriptors", async () => {
  expect((await call("terminal")).envelope).toEqual({ tool_success: true, result: { terminal: false } });
  const program = join(import.meta.dirname, "fixtures/descriptors-tool");
  const usual = () => JSON.parse(spawnSync(program, { encoding: "utf8" }).stdout).open.split(" ");
  const before = usual();
  const { envelope } = await call("descriptors", "{}", { onProgress: () => {} });
  // Some terminals and shells, and what else this process has open, are in everything that it starts.
  const inherited = [...before, ...usual()];
  const { open } = envelope.tool_success ? (envelope.result as { open: string }) : { open: "" };
  expect(open.split(" ").filter((descriptor) => !inherited.includes(descriptor))).toEqual(["3"]);
});

test("passes on progress and ignores everything else on descriptor 3", async () => {
  const reports: Progress[] = [];
  const { envelope } = await call("progress", "{}", { onProgress: (progress) => reports.push(progress) });
  expect(envelope).toEqual({ tool_success: true, result: {} });
  expect(reports).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2, message: "done" },
  ]);
});

test("limits a flood of progress reports", async () => {
  let reports = 0;
  const { envelope } = await call("flood_progress", "{}", { onProgress: () => reports++ });
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
  expect(reports).toBeGreaterThan(0);
  expect(reports).toBeLessThan(5_000);
});

test("lets other calls finish when one crashes", async () => {
  const outcomes = await Promise.all(["echo", "crash", "echo", "segfault", "echo"].map((name) => call(name)));
  expect(outcomes.map(({ envelope }) => envelope.tool_success)).toEqual([true, false, true, false, true]);
});

test("names an unknown tool, and the nearest name", async () => {
  expect((await call("eco")).envelope).toEqual({
    tool_success: false,
    error: "Tool 'eco' not found; the nearest name is 'echo'",
    error_code: "TOOL_NOT_FOUND",
    exit_code: null,
    stdout: "",
    stderr: "",
  });
  expect((await call("frobnicate")).envelope).toMatchObject({ error: "Tool 'frobnicate' not found" });
});

test("says why a tool was not loaded, and of an untrusted project not what to run", async () => {
  const skipped: FailedTool = {
    name: "x",
    path: "/tools/x-tool",
    scope: "user",
    reason: "not executable",
    detail: "it is empty",
  };
  const errorOf = async (failed: FailedTool) => {
    const { envelope } = await callTool({ ...registry, failed: [failed] }, "x", "{}", await circumstances());
    return envelope.tool_success ? "" : envelope.error;
  };
  const why = "; /tools/x-tool was not loaded: not executable: it is empty";
  expect(await errorOf(skipped)).toBe(`Tool 'x' not found${why}`);
  const untrusted = { scope: "project", reason: "untrusted", detail: "run: ikigai trust" } as const;
  const hidden =
    "the project's tool of this name was not loaded: untrusted: the user has not trusted the project's present files";
  for (const failed of [
    { ...skipped, ...untrusted },
    // Found by its name alone.
    { ...skipped, scope: "project" } as const,
  ])
    expect(await errorOf(failed)).toBe(`Tool 'x' not found; ${hidden}`);
});

test.each([
  ["[1]", "Arguments of tool 'echo': expected an object, got an array"],
  ["null", "Arguments of tool 'echo': expected an object, got null"],
  ['{"a":', "Arguments of tool 'echo': expected a JSON object, but the text ends early at byte 5"],
  ["{'a':1}", "Arguments of tool 'echo': expected a JSON object, but unexpected ' at byte 1"],
])("does not start a tool for the arguments %s", async (args, error) => {
  expect((await call("echo", args)).envelope).toMatchObject({ error_code: "INVALID_PARAMS", error, exit_code: null });
});

test("accepts empty arguments as an empty object", async () => {
  expect((await call("echo", " ")).json).toBe('{"tool_success":true,"result":{"got":{}}}');
});

test("reports a working directory that is missing or not a directory", async () => {
  const options = await circumstances();
  rmSync(options.cwd, { recursive: true });
  const errorIn = async (cwd: string) => {
    const { envelope } = await callTool(registry, "echo", "{}", { ...options, cwd });
    return envelope.tool_success ? "" : `${envelope.error_code}: ${envelope.error}`;
  };
  const start = "TOOL_UNAVAILABLE: Tool 'echo' cannot be started: the working directory";
  expect(await errorIn(options.cwd)).toBe(`${start} ${options.cwd} does not exist`);
  expect(await errorIn(import.meta.filename)).toBe(`${start} ${import.meta.filename} is not a directory`);
});

test.each([0, -1, Number.NaN])("ignores the limit %j", async (limit) => {
  const { envelope } = await call("environment", "{}", { timeoutMs: limit, maxOutputBytes: limit });
  const env = envelope.tool_success ? String(envelope.result.env).split(";") : [];
  expect(env).toEqual(expect.arrayContaining(["IKIGAI_TIMEOUT_MS=30000", "IKIGAI_MAX_OUTPUT_BYTES=65536"]));
});
