// Promise 10 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool, serverPackage } from "./server-package.ts";

/** The answer of a call that succeeds. */
async function answerOf(path: string, args: unknown, env: NodeJS.ProcessEnv = {}) {
  const { exitCode, stdout, stderr } = await callTool(path, args, env);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse(stdout);
}

describe("a call with one process", () => {
  test("gives the answer of the server, without its greeting", async () => {
    const { toolPath, dataDir } = await serverPackage({ greeting: "Scripted MCP server running on stdio" });
    expect(await answerOf(toolPath("echo"), { message: "grüß" })).toEqual({ output: "Echo: grüß" });
    expect(await answerOf(toolPath("structured"), {})).toEqual({ structured: { n: 1 } });
    expect(await answerOf(toolPath("error"), {})).toEqual({ error: "it went wrong", error_code: "MCP_TOOL_ERROR" });
    expect(await answerOf(toolPath("missing"), {})).toEqual({
      error: "ENOENT: no such file or directory, open 'rates.json'",
      error_code: "MCP_TOOL_ERROR",
      hint: `The MCP server runs in ${dataDir}: give it absolute paths.`,
    });
    expect(await answerOf(toolPath("fails"), {})).toEqual({
      error: "The MCP server test answered with error -32000: no such thing",
      error_code: "MCP_REQUEST_FAILED",
    });
  });

  test.each([
    ["", "Expected a JSON object on stdin, got nothing."],
    ["[]", "Expected a JSON object on stdin, got [] (array)."],
    ["{}}", "Expected a JSON object on stdin: Unexpected non-whitespace character after JSON at position 2."],
    [{}, 'Expected "message" to be a string, got nothing.'],
    [{ message: 1.5 }, 'Expected "message" to be a string, got a number.'],
  ])("refuses %j without starting the server", async (input, stderr) => {
    const { toolPath, dataDir } = await serverPackage({ dies: "I was started" });
    expect(await callTool(toolPath("echo"), input)).toEqual({ exitCode: 1, stdout: "", stderr: `${stderr}\n` });
    expect(existsSync(dataDir)).toBe(false);
  });

  test("stores an image in the data directory", async () => {
    const { toolPath, dataDir } = await serverPackage();
    const { images, output } = await answerOf(toolPath("image"), {});
    expect(images).toEqual([{ path: expect.stringMatching(/\.png$/), mime_type: "image/png" }]);
    expect(output).toBe(`[image ${images[0].path}]`);
    expect(readdirSync(join(dataDir, "files"))).toHaveLength(1);
    expect(readFileSync(images[0].path).subarray(1, 4).toString()).toBe("PNG");
    expect(statSync(images[0].path).mode & 0o777).toBe(0o600);
  });

  test("starts the server in its data directory, with the listed environment only", async () => {
    const { toolPath, dataDir } = await serverPackage({}, { env: { NAMED: `\${NAMED}` } });
    expect(await answerOf(toolPath("cwd"), {}, { NAMED: "visible" })).toEqual({ output: dataDir });
    const env = { NAMED: "visible", GITHUB_TOKEN: "gh-secret", ANTHROPIC_API_KEY: "sk-secret", NODE_OPTIONS: "" };
    const seen = JSON.parse((await answerOf(toolPath("env"), {}, env)).output);
    expect(seen).toMatchObject({ PATH: process.env.PATH });
    expect(Object.keys(seen)).not.toContain("GITHUB_TOKEN");
    expect(Object.keys(seen)).not.toContain("ANTHROPIC_API_KEY");
    expect(Object.keys(seen)).not.toContain("NODE_OPTIONS");
    expect(Object.keys(seen)).toContain("NAMED");
  });

  test("says which variable is missing, and what to do", async () => {
    const { toolPath } = await serverPackage({}, { env: { A: `\${IKIGAI_TEST_TOKEN}` } });
    expect(await answerOf(toolPath("echo"), { message: "x" })).toEqual({
      error: "The MCP server test needs the environment variable IKIGAI_TEST_TOKEN, which is not set.",
      error_code: "MISSING_CREDENTIALS",
      help: { steps: ["export IKIGAI_TEST_TOKEN=…", "Start ikigai again"] },
    });
  });

  test("tells a server that asks for it the project's directory before the call", async () => {
    const { toolPath } = await serverPackage({ asksForRoots: true, takesRootsMs: 40 });
    const { output } = await answerOf(toolPath("roots"), {}, { IKIGAI_PROJECT_DIR: "/my project" });
    expect(JSON.parse(output)).toEqual([{ uri: "file:///my%20project", name: "my project" }]);
  });

  test("passes on 300 KB and 40 MB", async () => {
    const { toolPath } = await serverPackage();
    for (const bytes of [300_000, 40_000_000]) {
      const { output } = await answerOf(toolPath("big"), { bytes });
      expect(output.length).toBe(bytes);
    }
  });

  test("lists and reads resources", async () => {
    const { toolPath } = await serverPackage({ resources: true });
    expect(await answerOf(toolPath("resource"), {})).toEqual({ output: "test://one  one  The first" });
    expect(await answerOf(toolPath("resource"), { uri: "test://x" })).toEqual({
      output: "[test://x]\ncontent of test://x",
    });
  });
});

describe("a server that fails", () => {
  test("in its start is quoted", async () => {
    const { toolPath } = await serverPackage({ dies: "no config found" });
    expect(await answerOf(toolPath("echo"), { message: "x" })).toEqual({
      error: "The MCP server test exited with code 4 during startup. It printed: no config found",
      error_code: "SERVICE_DIED",
    });
  });

  test("in a call is quoted", async () => {
    const { toolPath } = await serverPackage();
    expect(await answerOf(toolPath("dies"), {})).toEqual({
      error: "The MCP server test exited with code 3 during the call. It printed: fatal: out of cheese",
      error_code: "SERVICE_DIED",
    });
  });

  test("because there is no such program is named", async () => {
    const { toolPath } = await serverPackage(
      {},
      { server: { entry: { command: "no-such-program", args: [], env: {} } } },
    );
    expect(await answerOf(toolPath("echo"), { message: "x" })).toEqual({
      error: "The MCP server test cannot be started: no-such-program not found.",
      error_code: "SERVICE_DIED",
    });
  });

  test("to answer in time gets a cancellation, and the call ends with an error", async () => {
    const { toolPath } = await serverPackage();
    const { exitCode, stdout, stderr } = await callTool(toolPath("hangs"), {}, { IKIGAI_TIMEOUT_MS: "3000" });
    expect([exitCode, JSON.parse(stdout).error_code]).toEqual([0, "TOOL_TIMEOUT"]);
    expect(stderr).toMatch(/^cancelled \d+$/m);
  });
});

test("a secret is neither in the log nor in an answer", async () => {
  const { toolPath, dataDir } = await serverPackage({}, { env: { KEY: `\${KEY}` } });
  const { stdout, stderr } = await callTool(toolPath("env"), {}, { KEY: "s3cret-value" });
  expect(stdout + stderr).not.toContain("s3cret-value");
  expect(stdout).toContain("[key removed]");
  expect(existsSync(join(dataDir, "secrets.json"))).toBe(false);
});
