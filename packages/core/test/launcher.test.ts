// Promise 9 of SECURITY.md.
// @module-tag sampled
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { callTool, discover, findTool, type LauncherSettings } from "../src/index.ts";
import { startAhead } from "../src/internal.ts";
import { runHost, startHost } from "./host.ts";
import { runsWith } from "./sandbox-stage.ts";
import { hasSshd, type RemoteHost, startSshd } from "./sshd.ts";
import { callPrepared } from "./waiting-tool.ts";
import { circumstances, schema, tool } from "./world.ts";

const within = { timeout: 30_000, interval: 20 };

const shells = ["dash", "bash", "busybox"].filter((shell) => spawnSync(shell, ["--help"]).error === undefined);

/** A remote directory with tools, and a way to call one. */
async function remote(launcher: readonly string[], files: Readonly<Record<string, TreeEntry>> = {}) {
  const there = await tempDir({
    "echo-tool": tool(
      schema("echo"),
      'cat; echo "$PWD|$IKIGAI_PROJECT_DIR|$IKIGAI_TOOL_DIR|$IKIGAI_CALL_ID|$AGENT" > env; echo p >&3',
    ),
    "wait-tool": tool(
      schema("wait"),
      'cat > /dev/null; printf \'{"part":1\'; trap "printf }; exit" TERM; sleep "$MARK" & wait',
    ),
    ...files,
  });
  const home = await tempDir();
  const find = async (name: string, settings: Partial<LauncherSettings> = {}) => {
    const launchers = { [name]: { argv: launcher, path: join(there, `${name}-tool`), directory: there, ...settings } };
    return discover({ directories: [], home, projectDir: home, launchers, fresh: true });
  };
  const call = async (name: string, args = "{}", options: Parameters<typeof circumstances>[0] = {}) =>
    callTool(await find(name), name, args, await circumstances(options));
  return { there, find, call };
}

describe.each([["env"], ["sh", "-c", 'exec "$@"', "launch"], ...shells.map((shell) => [shell])])(
  "through %s",
  (...words) => {
    // Makes this shell the only `sh` on the PATH.
    const isShell = shells.includes(words[0] ?? "");
    const prefix = async () => {
      if (!isShell) return words;
      const bin = await tempDir();
      const path = spawnSync("sh", ["-c", `command -v ${words[0]}`], { encoding: "utf8" }).stdout.trim();
      spawnSync("ln", ["-s", path, join(bin, "sh")]);
      return ["/usr/bin/env", `PATH=${bin}:/usr/bin:/bin`];
    };

    test.concurrent("passes a tool the same input and returns the same answer", async () => {
      const { call, there } = await remote(await prefix());
      const text = "Á\u0081È…😀 \\ ' \" $HOME `id` %s\\n";
      const { envelope } = await call("echo", JSON.stringify({ text }), { callId: "it's me" });
      expect(envelope).toEqual({ tool_success: true, result: { text } });
      expect(readFileSync(join(there, "env"), "utf8")).toBe(`${there}|${there}|${there}|it's me|ikigai\n`);
    });

    test.concurrent("passes arguments of a megabyte completely", async () => {
      const { call } = await remote(await prefix());
      const text = "é".repeat(500_000);
      const { envelope } = await call("echo", JSON.stringify({ text }), { maxOutputBytes: 2_000_000 });
      expect(envelope.tool_success && envelope.result.text === text).toBe(true);
    });
  },
);

test.concurrent("returns the tool's own exit code and stderr", async () => {
  const { call } = await remote(["env"], {
    "bad-tool": tool(schema("bad"), "cat > /dev/null; echo out; echo because >&2; exit 3"),
    "dead-tool": tool(schema("dead"), "cat > /dev/null; kill -9 $$"),
    "last-tool": tool(schema("last"), "cat > /dev/null; exit 255"),
    "odd-tool": tool(schema("odd"), "cat > /dev/null; echo no json"),
  });
  const bad = { error_code: "TOOL_CRASHED", exit_code: 3, stdout: "out\n", stderr: "because\n" };
  expect((await call("bad")).envelope).toMatchObject(bad);
  expect((await call("dead")).envelope).toMatchObject({ error_code: "TOOL_CRASHED", exit_code: 137 });
  expect((await call("last")).envelope).toMatchObject({ error: "Tool 'last' crashed with exit code 255" });
  expect((await call("odd")).envelope).toMatchObject({ error_code: "INVALID_OUTPUT", stdout: "no json\n" });
});

test.concurrent("reports what is missing on the far side", async () => {
  const { find, call, there } = await remote(["env"]);
  const missing = await find("echo", { path: `${there}/gone-tool` });
  expect(missing.failed).toMatchObject([
    {
      name: "echo",
      reason: "crash",
      detail: `--schema ended with exit code 126: there is no executable file ${there}/gone-tool there`,
    },
  ]);
  const registry = await find("echo");
  const tools = registry.tools.map((one) => ({
    ...one,
    launcher: { argv: ["env"], path: join(there, "echo-tool"), directory: "/no/such" },
  }));
  const { envelope } = await callTool({ ...registry, tools }, "echo", "{}", await circumstances());
  expect(envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: `Tool 'echo' cannot be started through "env": the directory /no/such does not exist there`,
  });
  expect((await call("echo")).envelope.tool_success).toBe(true);
  const broken = await remote(["no-such-launcher"]);
  expect((await broken.find("echo")).failed).toMatchObject([
    { reason: "not executable", detail: "its launcher's program no-such-launcher was not found" },
  ]);
});

test.concurrent("gives a launched tool the user's scope, and shows where it runs", async () => {
  const { there } = await remote(["env"]);
  const home = await tempDir({ "tools/echo-tool": tool(schema("echo"), "cat") });
  const directories = [{ path: join(home, "tools"), scope: "system" as const }];
  const launchers = {
    echo: { argv: ["env"] },
    other: { argv: ["env", "A=1"], path: join(there, "wait-tool") },
    none: { argv: ["env"] },
  };
  const { tools, failed } = await discover({ directories, home, projectDir: there, launchers });
  expect(tools.map(({ name, path, scope, shadows }) => ({ name, path, scope, shadows }))).toEqual([
    {
      name: "echo",
      path: `env ${home}/tools/echo-tool`,
      scope: "user",
      shadows: [{ path: `${home}/tools/echo-tool`, scope: "system" }],
    },
    { name: "other", path: `env A=1 ${there}/wait-tool`, scope: "user", shadows: [] },
  ]);
  expect(failed).toMatchObject([{ name: "none", detail: expect.stringContaining("tools.none.path") }]);
});

test.concurrent("never takes a program of the project as a launcher", async () => {
  const project = await tempDir({ "bin/ssh": { content: "#!/bin/sh\ntouch ran\n", mode: 0o755 } });
  const launchers = { bash: { argv: ["ssh", "box"], path: "/bin/bash-tool" } };
  const env = { ...process.env, PATH: `${join(project, "bin")}:/nowhere` };
  const { failed } = await discover({ directories: [], home: await tempDir(), projectDir: project, launchers, env });
  expect(failed).toMatchObject([{ detail: expect.stringContaining("its launcher's program ssh was not found") }]);
  expect(existsSync(join(project, "ran"))).toBe(false);
});

test.concurrent("passes it no provider key, whatever its schema names", async () => {
  const { find, there } = await remote(["env"], {
    "key-tool": tool(
      schema("key", { ikigai: { needs: { env: ["OPENAI_API_KEY"] } } }),
      'cat > /dev/null; printf \'{"key":"%s"}\' "$OPENAI_API_KEY"',
    ),
  });
  const env = { ...process.env, OPENAI_API_KEY: "sk-secret" };
  const { envelope } = await callTool(await find("key"), "key", "{}", await circumstances({ env, cwd: there }));
  expect(envelope).toEqual({ tool_success: true, result: { key: "" } });
});

describe.skipIf(!hasSshd)("over ssh (needs sshd)", () => {
  let box: RemoteHost;
  let lost: RemoteHost;
  beforeAll(async () => {
    [box, lost] = await Promise.all([startSshd(), startSshd()]);
  });
  afterAll(() => {
    box.close();
    lost.close();
  });

  test.concurrent("calls a tool, also one started ahead", async () => {
    const { launcher } = box;
    const { call, find, there } = await remote(launcher, {
      "ready-tool": tool(schema("ready", { ikigai: { prestart: true } }), "cat"),
    });
    const { envelope, notes } = await call("echo", '{"a": "it\'s \\"quoted\\" $(id)"}');
    expect({ envelope, notes }).toEqual({
      envelope: { tool_success: true, result: { a: `it's "quoted" $(id)` } },
      notes: [],
    });
    const ready = findTool(await find("ready"), "ready");
    if (!ready) throw new Error("no tool");
    const own = await circumstances({ cwd: there });
    const ahead = startAhead(ready, own);
    expect((await callPrepared(ready, '{"b":2}', { ...own, ahead })).envelope).toEqual({
      tool_success: true,
      result: { b: 2 },
    });
    startAhead(ready, own)?.discard();
  });

  test.concurrent("ends a tool on the far side when its time is up, and keeps its output", async () => {
    const { launcher } = box;
    const mark = `60.${process.pid}44`;
    const { call } = await remote([...launcher, "env", `MARK=${mark}`]);
    const { envelope, durationMs } = await call("wait", "{}", { timeoutMs: 4_000 });
    expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout: '{"part":1}' });
    expect(durationMs).toBeLessThan(20_000);
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(false), within);
  });

  test.concurrent("kills a tool on the far side that ignores SIGTERM", async () => {
    const { launcher } = box;
    const mark = `60.${process.pid}45`;
    const { call } = await remote(launcher, {
      "deaf-tool": tool(schema("deaf"), `cat > /dev/null; trap '' TERM; sleep ${mark}; sleep ${mark}`),
      "daemon-tool": tool(schema("daemon"), `cat > /dev/null; setsid sleep ${mark} >/dev/null 2>&1 & echo '{}'`),
    });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 800);
    expect((await call("deaf", "{}", { signal: stop.signal })).envelope).toMatchObject({
      error_code: "TOOL_CANCELLED",
    });
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(false), within);
    expect((await call("daemon")).envelope).toEqual({ tool_success: true, result: {} });
    expect(runsWith(`sleep\0${mark}`)).toBe(false);
  });

  test.concurrent("reports a lost connection, and the tool ends on the far side", async () => {
    const { launcher, disconnect } = lost;
    const mark = `60.${process.pid}46`;
    const { call } = await remote([...launcher, "env", `MARK=${mark}`]);
    const running = call("wait");
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(true), within);
    disconnect();
    const { envelope } = await running;
    expect(envelope).toMatchObject({ error_code: "TOOL_CRASHED", exit_code: 255, stdout: '{"part":1' });
    expect(!envelope.tool_success && envelope.error).toMatch(
      /^Tool 'wait' was cut off: "ssh .*" lost its connection \(/,
    );
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(false), within);
  });

  test.concurrent("reports an unreachable host as unavailable", async () => {
    const { find, there } = await remote(["env"]);
    const registry = await find("echo");
    const argv = ["ssh", "-F", "/dev/null", "-o", "BatchMode=yes", "-p", "9", "127.0.0.1"];
    const tools = registry.tools.map((one) => ({ ...one, launcher: { argv, path: join(there, "echo-tool") } }));
    const { envelope } = await callTool({ ...registry, tools }, "echo", "{}", await circumstances());
    expect(envelope).toMatchObject({ error_code: "TOOL_UNAVAILABLE", exit_code: 255, stdout: "" });
    expect(!envelope.tool_success && envelope.error).toMatch(
      / cannot be started through "ssh .*": ssh: connect to host .* refused$/,
    );
  });

  test.concurrent("ends a tool on the far side when the host is killed", async () => {
    const { launcher } = box;
    const mark = `60.${process.pid}47`;
    const { there } = await remote(launcher);
    const launchers = JSON.stringify({
      wait: { argv: [...launcher, "env", `MARK=${mark}`], path: join(there, "wait-tool") },
    });
    const host = await startHost(`
      const found = await core.discover({ directories: [], home, projectDir: dir, launchers: ${launchers} });
      await core.callTool(found, "wait", "{}", { cwd: dir, projectDir: dir, sessionId: "s", callId: "c" });`);
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(true), within);
    host.child.kill("SIGKILL");
    await vi.waitFor(() => expect(runsWith(`sleep\0${mark}`)).toBe(false), within);
    await host.ended;
    expect(await runHost("print(1)")).toBe(1);
  });
});
