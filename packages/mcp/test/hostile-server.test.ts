// Promise 9 of SECURITY.md.
// @module-tag sampled
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@ikigai/protocol";
import { describe, expect, test } from "vitest";
import { defineTools } from "../src/definitions/define-tools.ts";
import { inspectHttp } from "./http-package.ts";
import { serverPackage, startService } from "./server-package.ts";

const program = fileURLToPath(new URL("fixtures/hostile-server.mjs", import.meta.url));

function hostile(mode = "") {
  return { command: process.execPath, args: [program, mode], env: {} };
}

const tools = ["deep", "nothing", "other", "line", "mute", "deaf", "files", "progress", "error"].map((name) => {
  return { name, inputSchema: { type: "object" } };
});

/** A service of the hostile server. */
async function hostileService() {
  const pack = await serverPackage({}, { server: { entry: hostile() }, tools });
  const service = startService(pack.toolPath("deep"));
  await service.ready();
  return { ...pack, service };
}

test("an answer that is invalid, nests without end or is an essay fails at once, and the next call works", async () => {
  const { service, dataDir } = await hostileService();
  using _ = service;
  for (const [tool = "", error] of [
    ["deep", "The MCP server test failed: Its answer is nested too deeply to be read."],
    ["nothing", "The MCP server test answered with error -32600: its response is not one of MCP"],
    ["other", "The MCP server test failed: It sent an invalid MCP message."],
    ["error", `The MCP server test answered with error -32000: ${"e".repeat(1_000)}…`],
  ]) {
    const call = service.call(tool, {});
    expect(await service.next()).toEqual({ call, answer: { error, error_code: "MCP_REQUEST_FAILED" } });
  }
  service.call("files", {});
  const answer = JSON.stringify(await service.next());
  expect(answer.split("image left out: the result has too many files")).toHaveLength(70 - 64 + 1);
  expect(readdirSync(join(dataDir, "files"))).toHaveLength(64);
});

test("reports of progress are cut and passed on at most 50 times a second", async () => {
  const { service } = await hostileService();
  using _ = service;
  service.call("progress", {});
  const lines: (JsonObject | undefined)[] = [];
  do lines.push(await service.next());
  while (lines.at(-1)?.answer === undefined);
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.length).toBeLessThan(500);
  expect(lines[0]).toMatchObject({ progress: { progress: 1, message: `${"p".repeat(999)}…` } });
});

test.each([
  ["line", "It has sent a line of more than 67108864 bytes."],
  ["mute", "It has closed its output."],
  ["deaf", "It has closed its input."],
])("a server that cannot be talked to any more is ended: %s", async (tool, why) => {
  const { service } = await hostileService();
  using _ = service;
  service.call(tool, {});
  expect([await service.next(), await service.end]).toEqual([undefined, 1]);
  expect(service.stderr()).toContain(`test: ${why}`);
});

describe("a server that is added", () => {
  test("loses its invalid tools, and no others", async () => {
    const { tools: listed, facts } = await inspectHttp("", { entry: hostile("odd") });
    expect(facts.serverInfo).toEqual({ name: "n".repeat(100), version: "1" });
    const filter = { include: [], exclude: [] };
    const options = { server: "s", variables: [], hasHeaders: true, hasResources: false, filter };
    const defined = defineTools(listed, options);
    expect(defined.tools.map(({ name }) => name)).toEqual(["mcp__s__good"]);
    expect(defined.leftOut).toEqual([
      { name: "list", reason: expect.stringContaining('of type "object"') },
      { name: "wide", reason: expect.stringMatching(/^its definition has \d+ bytes, and the limit is 8192$/) },
    ]);
  });

  test.each([
    ["mute", "The MCP server test exited during the list. It has closed its output."],
    ["deaf", "The MCP server test exited during startup. It has closed its input."],
    ["old", "The MCP server test cannot be used: Server's protocol version is not supported: 1900-01-01."],
  ])("is refused in words: %s", async (mode, error) => {
    const start = performance.now();
    expect(await inspectHttp("", { entry: hostile(mode) })).toMatchObject({ error });
    // Without waiting until the first request would be given up, after 20 s.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
