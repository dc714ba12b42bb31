import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { bin, cleanEnv } from "../ikigai.ts";
import { scriptedServer } from "./mcp-home.ts";

const built = dirname(dirname(bin));
const wrapper = ".ikigai/tools/mcp__test__echo-tool";

/** The scripted server, added by an ikigai that has then been moved. */
async function moved() {
  const home = realpathSync(await tempDir({ "old/": "", "project/": "" }));
  const [old, now] = [join(home, "old"), join(home, "now")];
  for (const part of ["dist", "libexec", "package.json"])
    cpSync(join(built, part), join(old, part), { recursive: true });
  const env = await cleanEnv(home);
  const runAt = (place: string, ...args: readonly string[]) => {
    const all = [join(place, "dist/ikigai.js"), ...args];
    return spawnSync(process.execPath, all, { cwd: join(home, "project"), env, encoding: "utf8" });
  };
  // In the project, where the sandbox shows it.
  const program = join(home, "project/server.mjs");
  copyFileSync(scriptedServer, program);
  const server = [process.execPath, program, "{}"];
  expect(runAt(old, "mcp", "add", "test", "--yes", "--", ...server)).toMatchObject({ status: 0 });
  renameSync(old, now);
  const run = (...args: readonly string[]) => runAt(now, ...args);
  const call = (...options: readonly string[]) =>
    JSON.parse(run("tool", "call", "mcp__test__echo", '{"message":"hi"}', ...options).stdout);
  return { home, run, call, bridge: join(old, "libexec/ikigai-mcp/bridge.mjs") };
}

describe("after ikigai has been moved", () => {
  test("the tools of MCP servers work, unchanged, and doctor names the missing program", async () => {
    const { home, run, call, bridge } = await moved();
    const before = readFileSync(join(home, wrapper), "utf8");
    expect(call()).toMatchObject({ tool_success: true, result: { output: "Echo: hi" } });
    const prompt = ["-p", 'mcp__test__echo {"message": "hi"}', "--allow", "mcp__test__*", "--model", "offline"];
    expect(run(...prompt).stdout).toBe("Echo: hi\n");
    expect(run("mcp", "list").stdout).toMatch(/ needs update$/m);
    expect(JSON.parse(run("mcp", "list", "--json").stdout)).toMatchObject([{ status: "needs update" }]);
    expect(run("mcp", "test", "test").status).toBe(0);
    expect(run("doctor").stdout).toContain(
      `~ The tools of the MCP server test name a program that is missing: ${bridge}. ikigai uses its own; other programs cannot call them. To fix it: ikigai mcp update test --yes\n`,
    );
    expect(readFileSync(join(home, wrapper), "utf8")).toBe(before);
    expect(run("mcp", "update", "test", "--yes").status).toBe(0);
    expect(run("doctor").stdout).not.toContain(bridge);
    expect(run("mcp", "list").stdout).toMatch(/ ready$/m);
  });

  test.skipIf(!hasBubblewrap)("they work in the sandbox (needs bwrap)", async () => {
    const { call } = await moved();
    expect(call("--sandbox")).toMatchObject({ tool_success: true, result: { output: "Echo: hi" } });
  });
});
