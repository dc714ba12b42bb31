// Promise 6 of SECURITY.md.
// @module-tag sampled
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { callTool, discover, findTool, type LauncherSettings, trust } from "../src/index.ts";
import { renderFailure, startAhead, toolDirectories } from "../src/internal.ts";
import { circumstances, schema, tool, world } from "./world.ts";

/** Shell text that a launcher runs instead of the tool: every way in which it can fail to reach it. */
const ways = {
  "exits with 1": "echo 'Cannot connect to the daemon' >&2; exit 1",
  "exits with 255": "echo 'ssh: Could not resolve hostname nohost' >&2; exit 255",
  "exits with 0 and prints nothing": "exit 0",
  "is killed": "kill -9 $$",
  "finds no program": "exec /no/such/program",
  "prints something else": "echo Welcome; exit 0",
  "prints an empty object": "echo '{}'; exit 0",
  "finds no tool there": 'exec sh -c "echo no such file >&2; exit 126"',
  hangs: "exec sleep 1000",
};

/** Answers like a tool that may be prestarted, and leaves a mark if a call runs on this machine. */
const here = (root: string) =>
  tool(schema("echo", { ikigai: { prestart: true } }), `cat > /dev/null; touch ${root}/ran; echo '{"here":true}'`);

/** A tool in every directory that a tool can come from, and a launcher for their name that runs `down` first. */
async function place() {
  const made = await world();
  const { root, home, projectDir } = made;
  const files = ["system", "home/tools", "project/.ikigai/tools"].map((dir) => join(root, dir, "echo-tool"));
  for (const file of files) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, here(root), { mode: 0o755 });
  }
  writeFileSync(join(root, "there-tool"), tool(schema("echo", { ikigai: { prestart: true } }), "cat"), { mode: 0o755 });
  writeFileSync(join(root, "down"), "");
  await trust({ home, projectDir });
  const argv = ["sh", "-c", `. ${root}/down; exec "$@"`, "launch"];
  const find = (settings: Partial<LauncherSettings> = {}, fresh = false) =>
    discover({
      directories: toolDirectories({ systemDir: join(root, "system"), home, projectDir }),
      launchers: { echo: { argv, path: join(root, "there-tool"), ...settings } },
      ...{ home, projectDir, fresh },
    });
  const call = async (registry: Awaited<ReturnType<typeof find>>) => {
    const { envelope } = await callTool(registry, "echo", "{}", await circumstances({ timeoutMs: 3_000 }));
    return envelope;
  };
  const breakIt = (how: string) => writeFileSync(join(root, "down"), how);
  return { root, find, call, breakIt, hasRunHere: () => existsSync(join(root, "ran")) };
}

/** What hangs is waited for. */
const quick = Object.entries(ways).filter(([name]) => inject("isThorough") || name !== "hangs");

describe.each(quick)("a launcher that %s", (_name, how) => {
  test.concurrent("keeps its tool's name, and calls are unavailable", async () => {
    const { find, call, breakIt, hasRunHere } = await place();
    breakIt(how);
    const registry = await find();
    expect(registry.tools).toEqual([]);
    expect(registry.failed).toMatchObject([{ name: "echo", scope: "user", isLaunched: true }]);
    expect(registry.failed.map(renderFailure)[0]).toMatch(/^Tool 'echo' is unavailable: its launcher failed \(.*\): ./);
    expect(await call(registry)).toMatchObject({
      error_code: "TOOL_UNAVAILABLE",
      error: expect.stringMatching(/^Tool 'echo' cannot be started through "sh -c .*": ./),
    });
    expect(hasRunHere()).toBe(false);
  });

  test.concurrent("lets no other tool run after its schema was cached", async () => {
    const { find, call, breakIt, hasRunHere } = await place();
    expect(await call(await find())).toMatchObject({ tool_success: true, result: {} });
    breakIt(how);
    const registry = await find();
    const cached = findTool(registry, "echo");
    if (!cached) throw new Error("no tool");
    const ahead = startAhead(cached, await circumstances());
    ahead?.discard();
    expect(await call(registry)).not.toMatchObject({ result: { here: true } });
    const refreshed = await find({}, true);
    expect(refreshed.tools).toEqual([]);
    expect(await call(refreshed)).toMatchObject({ error_code: "TOOL_UNAVAILABLE" });
    expect(hasRunHere()).toBe(false);
  });
});

test.each([
  ["its program is missing", { argv: ["no-such-launcher"] }],
  ["its program is a directory", { argv: ["/"] }],
  ["its program is not executable", { argv: ["/etc/passwd"] }],
  ["its tool is missing there", { argv: ["env"], path: "/no/such-tool" }],
  ["its directory is missing there", { argv: ["env"], directory: "/no/such" }],
] satisfies [string, Partial<LauncherSettings>][])("no other tool runs if %s", async (_name, settings) => {
  const { find, call, hasRunHere } = await place();
  const registry = await find(settings);
  expect(await call(registry)).toMatchObject({ error_code: "TOOL_UNAVAILABLE" });
  expect(hasRunHere()).toBe(false);
});

test("no project's tool takes a name whose launcher has no path", async () => {
  const { root, find, call, hasRunHere } = await place();
  for (const dir of ["system", "home/tools"]) rmSync(join(root, dir, "echo-tool"));
  const registry = await find({ path: undefined });
  expect(registry.tools).toEqual([]);
  expect(await call(registry)).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringContaining("set tools.echo.path to its path there"),
  });
  expect(hasRunHere()).toBe(false);
});

test("a tool without a launcher that fails does not hide the one it overrides", async () => {
  const { root, call, hasRunHere } = await place();
  writeFileSync(join(root, "home/tools/echo-tool"), "#!/bin/sh\nexit 1\n");
  const [home, projectDir] = [join(root, "home"), join(root, "empty")];
  const directories = toolDirectories({ systemDir: join(root, "system"), home, projectDir });
  const registry = await discover({ directories, home, projectDir });
  expect(registry.failed).toMatchObject([{ name: "echo", reason: "crash" }]);
  expect(await call(registry)).toMatchObject({ tool_success: true, result: { here: true } });
  expect(hasRunHere()).toBe(true);
});
