import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { httpServer } from "../../../../packages/mcp/test/http-server.ts";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { commandLines } from "./acp-servers.ts";
import { hostileServer, mcpHome } from "./mcp-home.ts";

const args = '{"message":"hi"}';

/** A remote server that has been added, and calls of it. */
async function withServer() {
  const server = await httpServer();
  const { run, own } = await mcpHome();
  const cwd = await tempDir();
  expect(await run(["mcp", "add", "web", server.url, "--yes"])).toMatchObject({ exitCode: 0 });
  const prompt = ["-p", `mcp__web__echo ${args}`, "--allow", "mcp__web__*", "--model", "offline"];
  return {
    ...server,
    own,
    run,
    async call(...options: readonly string[]) {
      const { stdout } = await run(["tool", "call", ...options, "mcp__web__echo", args], { cwd });
      return JSON.parse(stdout).result;
    },
    async converse(...options: readonly string[]) {
      const { stdout } = await run([...prompt, ...options, "--output-format", "json"], { cwd });
      return JSON.parse(stdout).tool_calls[0].envelope.result;
    },
  };
}

describe.skipIf(!hasBubblewrap)("a remote server, in the sandbox (needs bwrap)", () => {
  test("cannot be reached without the network, and the setting that is named gives it", async () => {
    const { call, converse, calls, port, run } = await withServer();
    const command = "ikigai config set 'tools.mcp__web__*.network' true";
    const denied = {
      error: `The sandbox has no network, so 127.0.0.1:${port} cannot be reached.`,
      error_code: "NETWORK_DENIED",
      help: { steps: [`Allow it for this server: ${command}`] },
    };
    expect(await call("--sandbox")).toEqual(denied);
    expect(await converse("--sandbox")).toEqual(denied);
    expect(calls).toEqual([]);
    expect(await run(["config", "set", "tools.mcp__web__*.network", "true"])).toMatchObject({ exitCode: 0 });
    expect(await call("--sandbox")).toEqual({ output: "Echo: hi" });
    expect(await converse("--sandbox")).toEqual({ output: "Echo: hi" });
  });

  test("can be reached with the network, and says then what else is wrong", async () => {
    const { call, converse, stop, port } = await withServer();
    expect(await call("--sandbox-network")).toEqual({ output: "Echo: hi" });
    expect(await converse("--sandbox-network")).toEqual({ output: "Echo: hi" });
    stop();
    expect(await call("--sandbox-network")).toMatchObject({
      error_code: "MCP_REQUEST_FAILED",
      error: expect.stringContaining(`127.0.0.1:${port} refused the connection.`),
    });
  });
});

describe.skipIf(!hasBubblewrap)("what a server starts in a session and with an environment of its own", () => {
  test.each([
    ["ends with the conversation in the sandbox", ["--sandbox"], 0],
    ["outlives it without the sandbox, as SECURITY.md says", [], 1],
  ])("%s", async (_, options, left) => {
    const { run } = await mcpHome();
    const cwd = await tempDir();
    // The sandbox shows the project, but perhaps not the repository.
    const server = join(cwd, "server.mjs");
    copyFileSync(hostileServer, server);
    await run(["mcp", "add", "bad", "--yes", "--", process.execPath, server]);
    // Tells it from everything else that runs. It ends after a minute.
    const seconds = `${60 + Math.random()}`;
    const task = `mcp__bad__strays {"seconds":${seconds}}`;
    const args = ["-p", task, "--allow", "mcp__bad__*", "--model", "offline", "--output-format", "json", ...options];
    const { stdout } = await run(args, { cwd });
    expect(JSON.parse(stdout).tool_calls[0].envelope.result).toEqual({ output: "started" });
    const running = () => commandLines().filter((line) => line === `sleep ${seconds} `).length;
    if (left === 0) await expect.poll(running).toBe(0);
    expect(running()).toBe(left);
  });
});
