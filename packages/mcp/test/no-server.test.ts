import { tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { inspect } from "../src/bridge/inspect.ts";

/** What is found out about this Node program, which is not an MCP server. */
async function inspected(script: string, timeoutMs = 5_000): Promise<object> {
  const dir = await tempDir();
  return inspect(
    {
      name: "test",
      entry: { command: process.execPath, args: ["-e", script], env: {} },
      packageDir: dir,
      dataDir: dir,
      projectDir: dir,
      timeoutMs,
    },
    { env: process.env, signal: new AbortController().signal, log: () => {} },
  );
}

test.each([
  ["many lines", "yes"],
  ["long lines", `yes ${"y".repeat(5_000)}`],
])("a program that prints %s without end is reported at once", async (_, command) => {
  const startedMs = performance.now();
  const found = await inspected(
    `require("child_process").spawnSync("sh", ["-c", "${command}"], { stdio: "inherit" })`,
    60_000,
  );
  expect(found).toEqual({
    error: expect.stringMatching(
      /exited during startup\. It prints too much on stdout that is not MCP\. It printed on stdout: "y+…?"\.$/,
    ),
    error_code: "SERVICE_DIED",
  });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
});

const silent = [
  ["console.log('Listening on 3000')", 'It printed on stdout: "Listening on 3000".'],
  ["console.error('Error: no port')", "It printed: Error: no port"],
  ["", ""],
] as const;

test.each(silent.slice(0, inject("isThorough") ? silent.length : 1))(
  "a program that does not answer is reported within the time, with what it printed: %s",
  async (script, said) => {
    const startedMs = performance.now();
    const found = await inspected(`${script}; setInterval(() => {}, 1_000)`);
    const error = `The MCP server test cannot be used: It did not answer within 5 s. ${said}`.trim();
    expect(found).toEqual({ error, error_code: "MCP_REQUEST_FAILED" });
    expect(performance.now() - startedMs).toBeGreaterThan(4_900);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  },
);
