// Promise 9 of SECURITY.md.
// @module-tag sampled
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "@ikigai/system";
import { expect, test } from "vitest";
import { until } from "../ikigai.ts";
import { hostileServer, mcpHome } from "./mcp-home.ts";

/** A home with the scripted server. The server's list is in a file, if it has one there. */
async function withServer(script: object = {}, ...options: readonly string[]) {
  const world = await mcpHome();
  const listFile = join(world.home, "list.json");
  expect(await world.add({ listFile, ...script }, ...options)).toMatchObject({ exitCode: 0 });
  const tested = (...args: readonly string[]) => world.run(["mcp", "test", "test", ...args]);
  return { ...world, tested, list: (tools: readonly object[]) => writeFileSync(listFile, JSON.stringify(tools)) };
}

test("mcp test --call prints the times and the answer of a tool, by its own name or the one in ikigai", async () => {
  const { tested } = await withServer({ asksForRoots: true }, "--env", "KEY=s3cret-value");
  const { exitCode, stdout, stderr } = await tested("--call", "echo", '{"message": "s3cret-value"}');
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^test: started in \d+ ms, handshake \d+ ms, list \d+ ms, call \d+ ms\nIts tools have not changed\.$/m,
  );
  expect(stdout).toMatch(/\n\{"output":"Echo: \[key removed\]"\}\n$/);
  const json = JSON.parse((await tested("--json", "--call", "mcp__test__roots")).stdout);
  expect(Object.keys(json.ms)).toEqual(["start", "handshake", "list", "call"]);
  expect(json).toMatchObject({ name: "test", added: [], answer: { output: expect.stringContaining("file:///") } });
});

test("mcp test --call exits with 1 if the call fails, and says why", async () => {
  const { tested } = await withServer();
  for (const [tool, error_code] of [
    ["error", "MCP_TOOL_ERROR"],
    ["fails", "MCP_REQUEST_FAILED"],
    ["dies", "SERVICE_DIED"],
  ] as const) {
    const { exitCode, stdout } = await tested("--json", "--call", tool);
    expect([exitCode, JSON.parse(stdout).answer]).toMatchObject([1, { error_code }]);
  }
});

test("mcp test --call calls a tool as it was added, also if the server has changed it", async () => {
  const { tested, list } = await withServer();
  list([{ name: "more", inputSchema: { type: "object" } }]);
  const { exitCode, stdout } = await tested("--call", "echo", '{"message": "hi"}');
  expect([exitCode, stdout]).toEqual([
    1,
    expect.stringMatching(/^ {2}\+ more\n {2}- echo\n(?:.*\n)*\{"output":"Echo: hi"\}\n$/m),
  ]);
});

test("mcp test --call refuses bad arguments, and does not start the server for them", async () => {
  const { tested, own } = await withServer();
  for (const [args, exitCode, why] of [
    [["--call", "echo", "{}"], 1, 'Expected "message" to be a string, got nothing.'],
    [["--call", "nope"], 1, 'test has no tool "nope". Known: mcp__test__echo, '],
    [["--call", "echo", "[]"], 2, "Expected the arguments to be a JSON object"],
    [['{"message": "hi"}'], 2, "Missing --call TOOL"],
  ] as const) {
    const ended = await tested(...args);
    expect(ended).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(why) });
  }
  // A server that is started runs in its data directory.
  expect(existsSync(join(own, "data", "mcp-test"))).toBe(false);
});

test("mcp test leaves nothing running that a server has started, nor does mcp add when it is interrupted", async () => {
  const { run, home } = await mcpHome();
  const program = hostileServer;
  await run(["mcp", "add", "test", "--yes", "--", process.execPath, program]);
  const { stdout } = await run(["mcp", "test", "test", "--json", "--call", "forks"]);
  const forked = Number(JSON.parse(stdout).answer.output);
  expect(forked).toBeGreaterThan(1);
  await expect.poll(() => isAlive(forked)).toBe(false);
  const pidFile = join(home, "pid");
  const script = `trap "" TERM HUP; echo $$ > ${pidFile}; setsid sleep 1000 & echo $! >> ${pidFile}; wait`;
  const { exitCode } = await run(["mcp", "add", "other", "--yes", "--", "sh", "-c", script], {
    async whileRunning({ kill }) {
      await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").split("\n").length === 3, "the server");
      kill("SIGINT");
    },
  });
  expect(exitCode).toBe(130);
  for (const pid of readFileSync(pidFile, "utf8").trim().split("\n"))
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

test("mcp test --call completes the tools of the server", async () => {
  const { run } = await withServer();
  const complete = async (...words: readonly string[]) => (await run(["__complete", ...words])).stdout.split("\n");
  expect(await complete("mcp", "test", "test", "--call", "")).toContain("mcp__test__echo");
  expect(await complete("mcp", "test", "")).toEqual(["test\t17 tools", ""]);
});
