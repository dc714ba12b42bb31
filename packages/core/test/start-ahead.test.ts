import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { type ExecuteOptions, execute, findTool, type RegisteredTool, startAhead } from "../src/index.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const prestart = { ikigai: { prestart: true, timeoutArgument: "timeout_ms" } };

/** Notes its process in a file when it starts, then waits for its input, and answers with its process and its time. */
const waits = 'echo $$ >> "$PID_FILE"; read -r args; printf \'{"pid":%s,"ahead":"%s"}\' $$ "$IKIGAI_PRESTART"';

interface Stage {
  readonly waiting: RegisteredTool;
  readonly options: ExecuteOptions;
  /** The processes that were started, in turn. */
  pids(): number[];
}

async function stage(body = waits, more: object = prestart): Promise<Stage> {
  const { discover, root } = await world({ "system/wait-tool": tool(schema("wait", more), body) });
  const waiting = findTool(await discover(), "wait");
  if (waiting === undefined) throw new Error("no tool");
  const pidFile = join(root, "pids");
  writeFileSync(pidFile, "");
  const options = await circumstances({ env: { ...process.env, PID_FILE: pidFile } });
  return { waiting, options, pids: () => readFileSync(pidFile, "utf8").split("\n").filter(Boolean).map(Number) };
}

async function untilStarted({ pids }: Stage, count = 1): Promise<void> {
  await vi.waitFor(() => expect(pids().length).toBe(count), 5_000);
}

test.concurrent("a tool that was started ahead answers the call", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await untilStarted(scene);
  const { envelope } = await execute(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { pid: scene.pids()[0], ahead: "1" } });
  expect(scene.pids().length).toBe(1);
});

test.concurrent("a call right behind the start is answered too", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  const { envelope } = await execute(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "1" } });
});

test.concurrent("a tool that does not say prestart is not started ahead", async () => {
  const scene = await stage(waits, {});
  expect(startAhead(scene.waiting, scene.options)).toBeUndefined();
});

test.concurrent("a process whose call never comes is killed, and gets no input", async () => {
  const scene = await stage('echo $$ >> "$PID_FILE"; read -r args; echo input >> "$PID_FILE"');
  const ahead = startAhead(scene.waiting, scene.options);
  await untilStarted(scene);
  ahead?.discard();
  const [pid = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5_000);
  expect(scene.pids()).toEqual([pid]);
});

test.concurrent.each([
  ["another time", '{"timeout_ms":5000}\n', {}],
  ["another directory", "{}\n", { cwd: "/" }],
  ["another environment", "{}\n", { callId: "another" }],
])("a call with %s starts its own process", async (_what, args, different) => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await untilStarted(scene);
  const { envelope } = await execute(scene.waiting, args, { ...scene.options, ...different, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  const [first = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(first)).toBe(false), 5_000);
});

test.concurrent("a process that is gone, or has printed already, is not used", async () => {
  for (const body of [
    `[ "$IKIGAI_PRESTART" ] && exit 3; ${waits}`,
    `[ "$IKIGAI_PRESTART" ] && echo early && sleep 5; ${waits}`,
  ]) {
    const scene = await stage(body);
    const ahead = startAhead(scene.waiting, scene.options);
    await new Promise((settle) => setTimeout(settle, 200));
    const { envelope } = await execute(scene.waiting, "{}\n", { ...scene.options, ahead });
    expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  }
});

test.concurrent("a tool that has changed since is started as it is now", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await untilStarted(scene);
  writeFileSync(scene.waiting.path, tool(schema("wait", prestart), "cat > /dev/null; echo '{\"new\":true}'"));
  const { envelope } = await execute(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { new: true } });
});
