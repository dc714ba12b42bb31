// @module-tag sampled
import { execFile } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentFromFlags } from "../../src/host/conversation/agent-from-flags.ts";
import { findPlaces } from "../../src/host/places/find-places.ts";
import { createServer } from "../../src/mcp/create-server.ts";
import { serveAgent } from "../../src/mcp/run-mcp-server.ts";
import baselines from "../fixtures/mcp-conformance.json" with { type: "json" };
import { bin, cleanEnv } from "../ikigai.ts";

/** The conformance suite of the protocol's authors; it speaks HTTP only, so its server has the factory of `ikigai mcp serve`. */
const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const isNew = Number(process.versions.node.split(".")[0]) >= 22;

/** A tool that the suite calls. */
function tool(name: string, ...lines: readonly string[]): Readonly<Record<string, string>> {
  const schema = JSON.stringify({ name, description: name, parameters: { type: "object", properties: {} } });
  const script = ["#!/bin/sh", `[ "$1" = --schema ] && exec echo '${schema}'`, "cat >/dev/null", ...lines];
  return { [`.ikigai/tools/${name}-tool`]: `${script.join("\n")}\n` };
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tools = {
  ...tool("test_simple_text", `echo '{"output":"This is a simple text response for testing."}'`),
  ...tool("test_image_content", `echo '{"images":[{"path":"dot.png","mime_type":"image/png"}]}'`),
  ...tool("test_error_handling", `echo '{"error":"This tool always fails.","error_code":"FAILED"}'`),
  ...tool(
    "test_tool_with_progress",
    `for n in 0 50 100; do echo "{\\"progress\\":$n,\\"total\\":100}" >&3; done; echo '{}'`,
  ),
  // These must log or ask; ikigai's tools do neither, which the suite checks as well.
  ...tool("test_logging_tool", `echo '{}'`),
  ...tool("test_streaming_elicitation", `echo '{}'`),
};

/** Serves the tools over HTTP; returns the URL. */
async function serve(): Promise<string> {
  const env = { ...(await cleanEnv(await tempDir(tools))), IKIGAI_LIBEXEC: join(dirname(bin), "../libexec/ikigai") };
  const places = findPlaces(env, await tempDir({ "dot.png": Buffer.from(png, "base64") }));
  const served = serveAgent(
    await agentFromFlags({ allow: [], permissionMode: "allow" }, env, { places }),
    undefined,
    () => {},
  );
  const handler = toNodeHandler(createMcpHandler(() => createServer({ ...served, listed: () => {} })));
  const http = createHttpServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    void handler(Object.assign(request, { method, url }), response);
  });
  await new Promise<void>((settle) => http.listen(0, "127.0.0.1", settle));
  onTestFinished(async () => {
    await served.stop();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return `http://127.0.0.1:${port}/mcp`;
}

/** How many checks of each scenario have passed and failed. */
async function countChecks(revision: string): Promise<Record<string, { passed: number; failed: number }>> {
  const args = [suite, "server", "--url", await serve(), "--requirements", revision];
  const cwd = await tempDir();
  // Its exit code says whether all passed.
  const stdout = await new Promise<string>((settle) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 1e8 }, (_, printed) => settle(printed));
  });
  const counts = stdout.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gmu);
  return Object.fromEntries(
    [...counts].map(([, name, passed, failed]) => [name, { passed: Number(passed), failed: Number(failed) }]),
  );
}

describe.skipIf(!isNew)("the conformance suite (needs Node 22)", () => {
  test.each(Object.entries(baselines))(
    "%s: no scenario is better or worse than the baseline",
    async (revision, baseline) => {
      const expected = Object.entries(baseline).map(([name, [passed, failed]]) => [name, { passed, failed }]);
      expect(await countChecks(revision)).toEqual(Object.fromEntries(expected));
    },
  );

  test("each failure of the baseline has a reason", () => {
    const entries = Object.values(baselines).flatMap((baseline) => Object.entries(baseline));
    const unexplained = entries.filter(([, [, failed, reason]]) => failed !== 0 && typeof reason !== "string");
    expect(unexplained).toEqual([]);
  });
});
