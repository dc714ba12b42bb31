// @module-tag sampled
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { bin, cleanEnv } from "../ikigai.ts";

const inspector = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);
const isNew = Number(process.versions.node.split(".")[0]) >= 22;

/** Calls bash through the inspector, a client of the protocol's authors. */
async function callBash(cwd: string, options: readonly string[], command: string) {
  const server = [process.execPath, bin, "mcp", "serve", ...options];
  const call = ["--method", "tools/call", "--tool-name", "bash", "--tool-arg", `command=${command}`];
  const args = [inspector, "--cli", ...server, ...call, "--format", "json"];
  const env = await cleanEnv();
  return new Promise<{ readonly code: unknown; readonly stdout: string }>((settle) => {
    const child = execFile(process.execPath, args, { cwd, env }, (_, stdout) =>
      settle({ code: child.exitCode, stdout }),
    );
  });
}

describe.skipIf(!isNew)("the inspector (needs Node 22)", () => {
  test("gets the result of an allowed call", async () => {
    const cwd = await tempDir();
    const { code, stdout } = await callBash(cwd, ["--allow", "bash"], "pwd");
    expect(JSON.parse(stdout).result.structuredContent).toEqual({ output: cwd, exit_code: 0 });
    expect(code).toBe(0);
  });

  test("gets a denial that names --allow, and exits with 5", async () => {
    const cwd = await tempDir();
    const { code, stdout } = await callBash(cwd, [], "touch made");
    expect(stdout).toContain("--allow 'bash(touch made)'");
    expect(code).toBe(5);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("is denied a command that only reads, too", async () => {
    const { code, stdout } = await callBash(await tempDir(), [], "pwd");
    expect(stdout).toContain("--allow 'bash(pwd)'");
    expect(code).toBe(5);
  });
});
