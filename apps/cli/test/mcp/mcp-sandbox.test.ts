// Promise 2 of SECURITY.md.
// @module-tag sampled
import { copyFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
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
  test("cannot be reached unless a rule opens its port, which is named", async () => {
    const { call, converse, calls, port, run, stop } = await withServer();
    const denied = {
      error: `The server web cannot reach 127.0.0.1:${port} from the sandbox.`,
      error_code: "NETWORK_DENIED",
      help: { steps: [expect.stringContaining(`Allow it with the rule host(localhost:${port})`)] },
    };
    for (const flag of ["--sandbox", "--sandbox-network"]) {
      expect(await call(flag)).toEqual(denied);
      expect(await converse(flag)).toEqual(denied);
    }
    expect(calls).toEqual([]);
    expect(await converse("--sandbox", "--allow", `host(localhost:${port})`)).toEqual({ output: "Echo: hi" });
    const rules = JSON.stringify([{ allow: `host(localhost:${port})` }]);
    expect(await run(["config", "set", "permission.rules", rules])).toMatchObject({ exitCode: 0 });
    expect(await call("--sandbox")).toEqual({ output: "Echo: hi" });
    stop();
    expect(await call("--sandbox")).toMatchObject({ error_code: "MCP_REQUEST_FAILED" });
  });
});

/** A server whose tool says what it can read and reach. */
const looking = `
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const home = process.env.HOME;
const attempt = (action) => { try { return String(action()).trim(); } catch (error) { return error.code ?? "failed"; } };
const look = () => [
  attempt(() => readFileSync(home + "/notes")),
  attempt(() => readFileSync(home + "/other")),
  process.env.GITHUB_TOKEN ?? "no token",
  ...["a", "b"].map((name) => attempt(() => execFileSync("curl", ["-sSf", "-m", "9", "http://" + name + ".example.com/"]))),
].join(",");
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "l", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", description: "Looks", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: look() }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
}
`;

describe.skipIf(!hasBubblewrap)("a server in the sandbox (needs bwrap)", () => {
  test("gets what it was added with, and nothing else", async () => {
    const proxy = createServer((request, response) => response.end(`hello from ${request.headers.host}`));
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const { run, home } = await mcpHome({ GITHUB_TOKEN: "t0ken", HTTP_PROXY: `http://127.0.0.1:${port}` });
    const cwd = await tempDir({ "server.mjs": looking });
    for (const name of ["notes", "other"]) writeFileSync(join(home, name), name);
    const needs = ["--host", "a.example.com", "--read", "~/notes", "--env", "GITHUB_TOKEN"];
    const add = (...options: string[]) =>
      run(["mcp", "add", "l", "--yes", ...options, "--", process.execPath, join(cwd, "server.mjs")]);
    const look = async () => {
      const args = ["-p", "mcp__l__look {}", "--allow", "mcp__l__*", "--model", "offline", "--sandbox"];
      const { stdout } = await run([...args, "--output-format", "json"], { cwd });
      return JSON.parse(stdout).tool_calls[0].envelope.result;
    };
    const added = await add(...needs);
    for (const line of ["connects to a.example.com", "reads ~/notes", "gets GITHUB_TOKEN (a key, token or password)"])
      expect(added.stdout).toContain(`In the sandbox it ${line}\n`);
    expect(await look()).toEqual({ output: "notes,ENOENT,t0ken,hello from a.example.com,failed" });
    // An update keeps them.
    writeFileSync(join(cwd, "server.mjs"), looking.replace('"Looks"', '"Looks again"'));
    expect(await run(["mcp", "update", "l", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await look()).toEqual({ output: "notes,ENOENT,t0ken,hello from a.example.com,failed" });
    await run(["mcp", "remove", "l", "--yes"]);
    expect(await add()).toMatchObject({ exitCode: 0, stdout: expect.not.stringContaining("In the sandbox") });
    expect(await look()).toEqual({ output: "ENOENT,ENOENT,no token,failed,failed" });
  });

  test.each([
    [["--host", "https://a.example.com"], '--host: "https://a.example.com" is not a host; write "api.example.com"'],
    [["--read", "~/.ikigai/credentials.json"], '--read: "~/.ikigai/credentials.json" is ikigai\'s own'],
    [["--from", "x.json", "--write", "/tmp/x"], "--write is for one server."],
  ])("is not added with %j", async (options, why) => {
    const { run } = await mcpHome();
    const { exitCode, stderr } = await run(["mcp", "add", "l", ...options, "--yes", "--", "true"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
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
