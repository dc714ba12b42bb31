import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { type SpareTools, spareTools } from "../src/index.ts";
import { runHost, startHost } from "./host.ts";
import { callPrepared, replaceTool, type Stage, stage } from "./waiting-tool.ts";

/** Makes a call as a host does that starts nothing afterwards. */
async function call({ waiting, options }: Stage, spares: SpareTools, different: object = {}) {
  const { envelope } = await callPrepared(waiting, "{}\n", { ...options, ...different, spares, refill: () => {} });
  return envelope;
}

async function untilGone(pid: number | undefined): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid ?? 0)).toBe(false), 50_000);
}

test.concurrent("answers the next call from the waiting process, and the one after from another", async () => {
  const scene = await stage();
  const spares = spareTools();
  for (const count of [1, 2]) {
    spares.keep(scene.waiting, scene.options);
    const pid = (await scene.untilStarted(count)).at(-1);
    expect(await call(scene, spares)).toEqual({ tool_success: true, result: { pid, ahead: "1" } });
  }
  expect(spares.take(scene.waiting, scene.options)).toBeUndefined();
  expect(scene.pids().length).toBe(2);
  spares.close();
});

test.concurrent("starts nothing if a process of the tool is already waiting", async () => {
  const scene = await stage();
  const spares = spareTools();
  for (let time = 0; time < 5; time++) spares.keep(scene.waiting, scene.options);
  await scene.untilStarted();
  spares.keep(scene.waiting, scene.options);
  await call(scene, spares);
  expect(scene.pids().length).toBe(1);
  spares.close();
});

test.concurrent("keeps no process of a tool without prestart", async () => {
  const scene = await stage(undefined, {});
  const spares = spareTools();
  spares.keep(scene.waiting, scene.options);
  expect(spares.take(scene.waiting, scene.options)).toBeUndefined();
  spares.close();
});

test.concurrent("never serves a changed tool from an old process", async () => {
  const scene = await stage();
  const spares = spareTools();
  spares.keep(scene.waiting, scene.options);
  const [old] = await scene.untilStarted();
  replaceTool(scene, "cat > /dev/null; echo '{\"new\":true}'");
  expect(await call(scene, spares)).toEqual({ tool_success: true, result: { new: true } });
  await untilGone(old);
  spares.close();
});

test.concurrent.each([
  ["another directory", { cwd: "/" }],
  ["another session", { sessionId: "another" }],
  ["another environment", { env: { ...process.env, PID_FILE: "/dev/null" } }],
  ["another configured timeout", { timeoutMs: 5_000 }],
])("kills the waiting process for a call with %s", async (_what, different) => {
  const scene = await stage();
  const spares = spareTools();
  spares.keep(scene.waiting, scene.options);
  const [old] = await scene.untilStarted();
  expect(await call(scene, spares, different)).toMatchObject({ tool_success: true, result: { ahead: "" } });
  await untilGone(old);
  spares.close();
});

test.concurrent("does not use a process for a directory that was recreated", async () => {
  const scene = await stage();
  const cwd = join(scene.options.cwd, "work");
  mkdirSync(cwd);
  const spares = spareTools();
  spares.keep(scene.waiting, { ...scene.options, cwd });
  const [old] = await scene.untilStarted();
  rmdirSync(cwd);
  // Reuses the old directory's inode number, so that the new one gets another.
  mkdirSync(join(scene.options.cwd, "other"));
  mkdirSync(cwd);
  expect(await call(scene, spares, { cwd })).toMatchObject({ tool_success: true, result: { ahead: "" } });
  await untilGone(old);
  spares.close();
});

test.concurrent("keeps two processes at most, and kills the one that has waited longest", async () => {
  const [first, second, third] = await Promise.all([stage(), stage(), stage()]);
  const spares = spareTools();
  spares.keep(first.waiting, first.options);
  const [oldest] = await first.untilStarted();
  for (const { waiting, options } of [second, third]) spares.keep(waiting, options);
  await untilGone(oldest);
  expect(spares.take(first.waiting, first.options)).toBeUndefined();
  for (const scene of [second, third]) expect(await call(scene, spares)).toMatchObject({ result: { ahead: "1" } });
  spares.close();
});

test.concurrent("kills a waiting process that is no longer needed, without giving it input", async () => {
  const scene = await stage('echo $$ >> "$PID_FILE"; read -r args; echo input >> "$PID_FILE"');
  const spares = spareTools();
  spares.keep(scene.waiting, scene.options);
  const [pid] = await scene.untilStarted();
  spares.close();
  await untilGone(pid);
  expect(scene.pids()).toEqual([pid]);
  spares.keep(scene.waiting, scene.options);
  expect(spares.take(scene.waiting, scene.options)).toBeUndefined();
});

/** A host that keeps a fixture waiting and prints its process id. */
const keeping = `
  const [echo] = registry.tools.filter(({ name }) => name === "echo");
  const tool = { ...echo, schema: { ...echo.schema, ikigai: { prestart: true } } };
  const spares = core.spareTools();
  spares.keep(tool, { cwd: dir, projectDir: dir, sessionId: "s" });
  const { spawnSync } = await import("node:child_process");
  let found = "";
  while (found === "") {
    await new Promise((settle) => setTimeout(settle, 10));
    found = spawnSync("pgrep", ["-P", String(process.pid), "-f", "echo-tool"], { encoding: "utf8" }).stdout;
  }
  print(Number(found));
`;

test.concurrent("neither keeps its host alive nor outlives it", async () => {
  await untilGone(Number(await runHost(keeping)));
});

test.concurrent("ends with a host that is killed", async () => {
  const host = await startHost(`${keeping} setInterval(() => {}, 1000);`);
  const pid = await vi.waitFor(() => {
    expect(Number(host.printed)).toBeGreaterThan(0);
    return Number(host.printed);
  }, 50_000);
  expect(isRunning(pid)).toBe(true);
  host.child.kill("SIGKILL");
  await untilGone(pid);
});
