// @module-tag sampled
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai, type RunOptions } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";

async function print(steps: readonly Step[], args: readonly string[], options: RunOptions = {}) {
  const { env, requests } = await startModel(steps);
  const end = await ikigai(["-p", "go", "--model", "openai-compatible/m", ...args], {
    ...options,
    env: { ...env, ...options.env },
  });
  return { ...end, requests };
}

test("a prompt with spaces may begin with a dash", async () => {
  const { env, requests } = await startModel([]);
  const prompts = ["- fix the test\n- run it", "--max-turns is what?"];
  for (const prompt of prompts) await ikigai(["-p", prompt, "--model", "openai-compatible/m"], { env });
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(prompts);
});

test("many parallel calls cause no warning", async () => {
  const calls = Array.from({ length: 40 }, (_, index) => ({ name: "glob", arguments: { pattern: `${index}*` } }));
  const { stdout, stderr } = await print([{ calls }, { text: "Nothing." }], []);
  expect({ stdout, stderr }).toEqual({ stdout: "Nothing.\n", stderr: "" });
});

test("prints the answer and nothing else", async () => {
  const steps = [
    { text: "I look.", calls: [{ name: "glob", arguments: { pattern: "*" } }] },
    { text: "Nothing there." },
  ];
  const { exitCode, stdout, stderr } = await print(steps, []);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "Nothing there.\n", stderr: "" });
});

test("twenty calls in a row are in one JSON object", async () => {
  const steps = Array.from({ length: 20 }, (_, index) => ({
    calls: [{ name: "bash", arguments: { command: `echo ${index}` } }],
  }));
  const { exitCode, stdout, stderr } = await print(steps, ["--output-format", "json", "--allow", "bash"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(stdout)).toEqual({
    reason: "done",
    result: "Done.",
    session_id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-f]{8}$/),
    turns: 21,
    usage: { input_tokens: 2100, output_tokens: 210, cache_read_tokens: 0, cache_write_tokens: 0 },
    tool_calls: steps.map((_, index) => ({
      name: "bash",
      arguments: { command: `echo ${index}` },
      envelope: { tool_success: true, result: { output: String(index), exit_code: 0 } },
    })),
  });
});

test.each([
  ["openai-compatible", { OPENAI_COMPATIBLE_API_KEY: "sk-none" }],
  ["anthropic", { ANTHROPIC_API_KEY: "sk-none" }],
  ["openai", { OPENAI_API_KEY: "sk-none" }],
  ["google", { GEMINI_API_KEY: "sk-none" }],
])("a request to %s loads no slow module of Node", async (provider, key) => {
  const { env, requests } = await startModel([{ text: "Hello." }]);
  const url = env.OPENAI_COMPATIBLE_BASE_URL;
  const urls = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url };
  const home = await tempDir({ ".ikigai/config.json": '{"patience":{"maxRetries":0}}' });
  const list = join(home, "builtins");
  const probe = fileURLToPath(new URL("fixtures/builtins.cjs", import.meta.url));
  await ikigai(["-p", "go", "--model", `${provider}/m`], {
    env: { ...env, ...urls, ...key, HOME: home, BUILTINS: list, NODE_OPTIONS: `--require=${probe}` },
  });
  // The answer itself does not matter here.
  expect(requests.length).toBeGreaterThan(0);
  const loaded = readFileSync(list, "utf8");
  expect(loaded).toContain("NativeModule http");
  // The platform's fetch and all its imports: 20 ms.
  expect(loaded).not.toMatch(/undici|NativeModule http2/);
});

test("prints one event per line, the result last", async () => {
  const steps = [{ text: "So.", calls: [{ name: "bash", arguments: { command: "echo hi" } }] }];
  const { stdout } = await print(steps, ["--output-format", "stream-json", "--allow", "bash"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const kinds = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  const step = ["text", "step_end"];
  expect(kinds).toEqual([
    "session",
    "user",
    "text",
    "tool_call_start",
    "tool_call",
    "step_end",
    "tool_start",
    "tool_result",
    ...step,
    "result",
  ]);
  expect(events.find(({ type }) => type === "tool_result")).toEqual({
    type: "tool_result",
    id: expect.any(String),
    name: "bash",
    envelope: { tool_success: true, result: { output: "hi", exit_code: 0 } },
    duration_ms: expect.any(Number),
  });
  expect(events.at(-1)).toMatchObject({ type: "result", reason: "done", result: "Done.", turns: 2 });
});

test("passes the text of models and tools on unchanged", async () => {
  const home = await tempDir({
    ".ikigai/tools/exact-tool": `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"exact","description":"","parameters":{"type":"object","properties":{}}}'; exit; fi
cat >/dev/null; printf '{"big":12345678901234567890,"huge":1e400,"twice":1,"twice":2}'
`,
  });
  const args = '{"n":12345678901234567890}';
  const options = { env: { HOME: home } };
  const { stdout } = await print(
    [{ calls: [{ name: "exact", arguments: args }] }],
    ["--output-format", "json", "--allow", "exact"],
    options,
  );
  expect(stdout).toContain(
    `"arguments":${args},"envelope":{"tool_success":true,"result":{"big":12345678901234567890,"huge":1e400,"twice":1,"twice":2}}`,
  );
});

test("says that an argument is missing, not that permission is", async () => {
  const { stdout, stderr } = await print([{ calls: [{ name: "bash", arguments: {} }] }], ["--output-format", "json"]);
  const error = 'Expected the argument "command", which is missing. Nothing was run.';
  expect(JSON.parse(stdout).tool_calls[0].envelope).toMatchObject({ error, error_code: "INVALID_PARAMS" });
  expect(stderr).toBe("");
});

test("a call of an override without that argument needs permission, which a rule about the tool gives", async () => {
  const schema = { name: "bash", description: "x", parameters: { type: "object", properties: { text: {} } } };
  const override = `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${JSON.stringify(schema)}'; else cat; fi\n`;
  const options = { env: { HOME: await tempDir({ ".ikigai/tools/bash-tool": override }) } };
  const steps = [{ calls: [{ name: "bash", arguments: { text: "a" } }] }];
  const denied = await print(steps, ["--output-format", "json"], options);
  const why = 'calls of bash are judged by the argument "command", which this override of bash does not have';
  const error = `This call needs permission, and this run is not interactive: ${why}. To allow all calls of bash: --allow bash`;
  expect(JSON.parse(denied.stdout).tool_calls[0].envelope).toMatchObject({ error, error_code: "TOOL_DENIED" });
  const { stdout } = await print(steps, ["--output-format", "json", "--allow", "bash"], options);
  expect(JSON.parse(stdout).tool_calls[0].envelope).toEqual({ tool_success: true, result: { text: "a" } });
});

test("lets a call without permission change nothing, and tells the model and the user", async () => {
  const call = { name: "bash", arguments: { command: "touch x" } };
  const { stdout, stderr, exitCode } = await print([{ calls: [call, call] }], ["--output-format", "json"]);
  expect(exitCode).toBe(0);
  const told = "This call needs permission, and this run is not interactive. To allow it: --allow 'bash(touch x)'";
  const ran = hasBubblewrap ? "It ran where nothing can be changed. " : "";
  expect(stderr).toBe(`bash: ${ran}${told}\n`);
  const { envelope } = JSON.parse(stdout).tool_calls[0];
  expect(envelope).toMatchObject(
    hasBubblewrap ? { result: { exit_code: 1 }, sandbox: ran + told } : { error_code: "TOOL_DENIED", error: told },
  );
});

test.skipIf(!hasBubblewrap)("says once that commands run read-only, even if they swallow the error", async () => {
  const run = (command: string) => ({ name: "bash", arguments: { command } });
  const swallowed = [run("touch x 2>/dev/null || true"), run("make -v >/dev/null 2>&1; true")];
  const { stderr } = await print([{ calls: swallowed }, { calls: [run("ls")] }], []);
  expect(stderr).toBe("Commands run read-only here. To let them change the project: --permission-mode auto\n");
  expect((await print([{ calls: [run("ls")] }], [])).stderr).toBe("");
  const went = await print([{ calls: [run("echo a > x; echo b")] }], []);
  expect(went.stderr).toContain("bash: It ran where nothing can be changed. This call needs permission");
});

test.each([
  [["--permission-mode", "allow"], true],
  [["--permission-mode", "deny"], false],
  [["--allow", "glob", "--allow", "bash(touch *)"], true],
  [["--allow", "bash(ls *)"], false],
])("%j allows it: %s", async (args, isAllowed) => {
  const cwd = await tempDir();
  await print([{ calls: [{ name: "bash", arguments: { command: "touch x" } }] }], args, { cwd });
  expect(existsSync(join(cwd, "x"))).toBe(isAllowed);
});

test.each([
  ["edits", [true, false]],
  ["plan", [false, false]],
])("--permission-mode %s lets file_write and bash change the project: %j", async (mode, expected) => {
  const calls = [
    { name: "file_write", arguments: { file_path: "a.txt", content: "a" } },
    { name: "bash", arguments: { command: "touch x" } },
  ];
  const cwd = await tempDir();
  await print([{ calls }], ["--permission-mode", mode], { cwd });
  expect(["a.txt", "x"].map((name) => existsSync(join(cwd, name)))).toEqual(expected);
});

test("--max-turns ends it with exit code 1", async () => {
  const steps = Array.from({ length: 5 }, () => ({ calls: [{ name: "glob", arguments: { pattern: "*" } }] }));
  const { exitCode, stderr, stdout } = await print(steps, ["--max-turns", "2", "--output-format", "json"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Stopped after 2 requests");
  expect(JSON.parse(stdout)).toMatchObject({ turns: 2, error: { code: "max_steps" } });
  expect((await print(steps, ["--max-turns", "1"])).stderr).toContain("Stopped after 1 request before");
});

test("an unreachable model ends it with exit code 1", async () => {
  const env = {
    OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9",
    HOME: await tempDir({ ".ikigai/config.json": '{"patience":{"maxRetries":0}}' }),
  };
  const { exitCode, stdout, stderr } = await ikigai(["-p", "go", "--model", "openai-compatible/m"], { env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("127.0.0.1:9");
});

test("a model without a key says which variable is missing", async () => {
  const { exitCode, stderr } = await ikigai(["-p", "go", "--model", "anthropic/claude-sonnet-4-5"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("ANTHROPIC_API_KEY");
});

test("piped input is added to the prompt, or is the prompt", async () => {
  const { requests } = await print([], [], { stdin: "and this\n" });
  expect(requests[0]?.messages.at(-1)?.content).toBe("go\n\nand this\n");
  const alone = await ikigai(["-p", "--model", "offline"], { stdin: "run echo piped", env: {} });
  expect(alone.stderr).toContain("not a language model");
  expect(alone.exitCode).toBe(0);
});

test("saves the session, readable only by the user", async () => {
  const home = await tempDir();
  const { exitCode } = await print([], [], { env: { HOME: home } });
  expect(exitCode).toBe(0);
  const sessions = join(home, ".ikigai/sessions");
  const [file = ""] = readdirSync(sessions).filter((name) => name.endsWith(".jsonl"));
  expect([statSync(sessions).mode & 0o777, statSync(join(sessions, file)).mode & 0o777]).toEqual([0o700, 0o600]);
  const events = readFileSync(join(sessions, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(events).toEqual(["session", "prompt", "user", "text", "step_end", "turn_end"]);
});
