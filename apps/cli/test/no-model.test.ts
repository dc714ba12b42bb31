// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const ways = ["ANTHROPIC_API_KEY", "OPENAI_COMPATIBLE_BASE_URL", "ollama", "--model offline"];

test.each([
  [["-p", "run touch ran", "--permission-mode", "allow"], undefined],
  [["-p", "--permission-mode", "allow"], "run touch ran"],
  [["--permission-mode", "allow"], "run touch ran\n"],
  [["--permission-mode", "allow", "run touch ran"], undefined],
])("runs nothing without a model: ikigai %j, stdin %j", async (args, stdin) => {
  const cwd = await tempDir();
  const { exitCode, stdout, stderr } = await ikigai(args, { cwd, ...(stdin && { stdin }) });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^ikigai: No model is set up\. /);
  for (const way of ways) expect(stderr).toContain(way);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test.each([
  ["json", [], { OLLAMA_HOST: "127.0.0.1:9" }, "No model is set up."],
  ["stream-json", [], { OLLAMA_HOST: "127.0.0.1:9" }, "No model is set up."],
  ["json", ["--model", "anthropic/x"], {}, "ANTHROPIC_API_KEY"],
])("prints the error as %s if no model can be used (%j)", async (format, args, env, why) => {
  const { exitCode, stdout, stderr } = await ikigai(["-p", "hi", "--output-format", format, ...args], { env });
  expect(exitCode).toBe(1);
  const [result, session] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .reverse();
  expect(result).toMatchObject({ reason: "failed", result: "", turns: 0, tool_calls: [] });
  expect(result.type).toBe(format === "json" ? undefined : "result");
  // Nothing was saved.
  expect(result).not.toHaveProperty("session_id");
  const start = { type: "session", model: null, cwd: expect.stringMatching("^/"), instructions: [] };
  expect(session).toEqual(format === "json" ? undefined : start);
  expect(result.error).toEqual({ code: "configuration", message: expect.stringContaining(why) });
  expect(stderr).toContain(`ikigai: ${result.error.message}`);
});

test("prints the error of whatever keeps a task from starting, with the session that it continues", async () => {
  const [HOME, cwd] = [await tempDir(), await tempDir({ "c.json": '{"mcpServers":{"x":{"command":"/no/such"}}}' })];
  const run = async (...args: string[]) => {
    const end = await ikigai(["-p", "hi", "--output-format", "stream-json", ...args], { cwd, env: { HOME } });
    const [session, result] = end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([end.exitCode, session.type, session.session_id]).toEqual([1, "session", result.session_id]);
    expect(end.stderr).toContain(`ikigai: ${result.error.message}`);
    return result;
  };
  const offline = ["--model", "offline"];
  expect((await run("--mcp", "c.json", ...offline)).error.code).toBe("servers_not_started");
  expect((await run("-r", "zzz", ...offline)).error.code).toBe("session_not_found");
  await ikigai(["-p", "run true", "--allow", "bash", ...offline], { cwd, env: { HOME } });
  const [log = ""] = readdirSync(join(HOME, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  expect(await run("-c", "--model", "anthropic/x")).toMatchObject({ session_id: log.replace(".jsonl", "") });
});

test("a name that no model has is a usage error, without an object", async () => {
  const wrong = await ikigai(["-p", "hi", "--output-format", "json", "--model", "nosuch/x"]);
  expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
});

test("runs the request with --model offline, or with offline configured", async () => {
  const HOME = await tempDir({ ".ikigai/config.json": '{"model": "offline"}' });
  const byName = await ikigai(["-p", "run echo hi", "--allow", "bash", "--model", "offline"]);
  const configured = await ikigai(["-p", "run echo hi", "--allow", "bash"], { env: { HOME } });
  for (const { exitCode, stdout } of [byName, configured])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "hi\n" });
});

test.each([
  [["--model", "offline"], "{}", "start ikigai without --model offline"],
  [[], '{"model": "offline"}', "ikigai config unset model"],
  [["--model", "offline"], '{"model": " offline/x"}', "ikigai config unset model"],
])("with %j and the configuration %s, the advice is what helps: %s", async (args, config, advice) => {
  const env = { HOME: await tempDir({ ".ikigai/config.json": config }), COLUMNS: "200" };
  const { stderr } = await ikigai(["-p", "explain it", ...args], { env });
  const { stdout } = await ikigai(args, { env, typed: "help\n" });
  const [start = "", help = ""] = stdout.replace(/ *\n(?=\S)/g, " ").split("\n\n", 2);
  for (const text of [stderr, start, stdout]) {
    expect(text.replaceAll("\n", " ")).toContain(advice);
    // A key alone would change nothing.
    expect(text).not.toContain("ANTHROPIC_API_KEY");
  }
  expect(start).toContain("Offline: only simple commands work");
  expect(help).not.toBe("");
});

test.each([
  ["{}", "", "run ikigai setup in a shell, set ANTHROPIC_API_KEY"],
  ['{"model": "offline"}', "", "in a shell, run ikigai setup, or ikigai config unset model"],
  [
    '{"model": "openai-compatible/m"}',
    "http://127.0.0.1:9/v1",
    "type /login or /model, or run ikigai setup in a shell",
  ],
])("after /model offline, with the configuration %s and the server %j: %s", async (config, server, advice) => {
  const env = { HOME: await tempDir({ ".ikigai/config.json": config }), OPENAI_COMPATIBLE_BASE_URL: server };
  const terminal = await openTerminal(["--plain"], { env, columns: 200 });
  await terminal.waitForPrompt();
  terminal.type("/model offline\r");
  await terminal.waitFor("Model: offline/plain-requests");
  await terminal.waitForPrompt();
  expect(terminal.screen().split("Model: offline")[1]).toContain(`To use a model: ${advice}`);
});

test("in a conversation without a model, setup is named as a command of the shell", async () => {
  const terminal = await openTerminal(["--plain"], { columns: 200 });
  await terminal.waitForPrompt();
  terminal.type("help\r");
  await terminal.waitFor(
    "To choose a language model, quit with ctrl-d and run ikigai setup, or do one of these in a shell",
  );
  expect((await ikigai(["-p", "help"])).stderr).toContain("To choose a language model, run ikigai setup, or do one of");
});

test("counts a running Ollama as a model", async () => {
  const server = createServer((request, response) => {
    const body = request.url === "/api/tags" ? { models: [{ name: "tiny" }] } : {};
    response.writeHead(request.url === "/v1/chat/completions" ? 400 : 200).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const OLLAMA_HOST = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stderr } = await ikigai(["-p", "hello"], { env: { OLLAMA_HOST } });
  expect(stderr).toContain("using tiny from Ollama at");
});

test.each(["remove dead code", "make it faster", "run"])(
  "exits with 1 for %j, which offline does not understand",
  async (prompt) => {
    const text = await ikigai(["-p", prompt, "--model", "offline"]);
    expect(text).toMatchObject({ exitCode: 1, stdout: "" });
    expect(text.stderr).toContain(`I do not understand "${prompt}"`);
    const json = await ikigai(["-p", prompt, "--model", "offline", "--output-format", "json"]);
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ result: "", tool_calls: [], error: { code: "not_understood" } });
    const piped = await ikigai(["--model", "offline"], { typed: `${prompt}\nfind *\n` });
    expect(piped.exitCode).toBe(1);
    expect(piped.stdout).toContain(`I do not understand "${prompt}"`);
    expect(piped.stdout).toContain("No file.");
  },
);

test.each(["", " "])("refuses --model %j, as from an unset variable", async (model) => {
  for (const args of [["-p", "run echo hi"], []]) {
    const { exitCode, stdout, stderr } = await ikigai([...args, "--model", model], { typed: "run echo hi\n" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("--model is empty.");
  }
});

test("asks for the missing base URL of a compatible server", async () => {
  const { exitCode, stderr } = await ikigai(["-p", "hi", "--model", "openai-compatible/x"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("openai-compatible needs a base URL: set OPENAI_COMPATIBLE_BASE_URL");
});

test("names the nearest provider", async () => {
  const { exitCode, stderr } = await ikigai(["-p", "hi", "--model", "antropic/claude-x"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Did you mean anthropic/claude-x?");
});

test("names the file that sets a model that cannot be used, and how to choose another", async () => {
  const HOME = await tempDir({ ".ikigai/config.json": '{"model": "antropic/claude-x"}' });
  const { exitCode, stderr } = await ikigai(["-p", "hi"], { env: { HOME } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`The model is set in ${join(HOME, ".ikigai/config.json")}. To choose another: ikigai setup`);
});

test("says why a compatible server cannot be asked for its models", async () => {
  const { exitCode, stderr } = await ikigai(["-p", "hi"], {
    env: { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("127.0.0.1:9");
  expect(stderr).toContain("ECONNREFUSED");
});
