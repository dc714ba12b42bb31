import { readFileSync } from "node:fs";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { startAhead } from "../src/internal.ts";
import { callPrepared, replaceTool, stage } from "./waiting-tool.ts";

test.concurrent("a tool that was started ahead answers the call", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { pid: scene.pids()[0], ahead: "1" } });
  expect(scene.pids().length).toBe(1);
});

test.concurrent("a call right behind the start is answered too", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "1" } });
});

test.concurrent("a tool that does not say prestart is not started ahead", async () => {
  const scene = await stage(undefined, {});
  expect(startAhead(scene.waiting, scene.options)).toBeUndefined();
});

test.concurrent("a process whose call never comes is killed, and gets no input", async () => {
  const scene = await stage('echo $$ >> "$PID_FILE"; read -r args; echo input >> "$PID_FILE"');
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  ahead?.discard();
  const [pid = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 20_000);
  expect(scene.pids()).toEqual([pid]);
});

test.concurrent.each([
  ["another time", '{"timeout_ms":5000}\n', {}],
  ["another directory", "{}\n", { cwd: "/" }],
  ["another environment", "{}\n", { sessionId: "another" }],
])("a call with %s starts its own process", async (_what, args, different) => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  const { envelope } = await callPrepared(scene.waiting, args, { ...scene.options, ...different, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  const [first = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(first)).toBe(false), 20_000);
});

test.concurrent("a process that is gone, or has printed already, is not used", async () => {
  const isGone = (pid: number) => !isRunning(pid);
  const hasPrinted = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sleep");
  const onLinux = process.platform === "linux";
  for (const [fault, isOver] of [
    ["exit 3", isGone],
    ...(onLinux ? ([["{ echo early; exec sleep 60; }", hasPrinted]] as const) : []),
  ] as const) {
    const scene = await stage(
      `[ "$IKIGAI_PRESTART" ] && { echo $$ >> "$PID_FILE"; ${fault}; }; read -r args; echo "{\\"ahead\\":\\"$IKIGAI_PRESTART\\"}"`,
    );
    const ahead = startAhead(scene.waiting, scene.options);
    const [pid = 0] = await scene.untilStarted();
    await vi.waitFor(() => expect(isOver(pid)).toBe(true), 20_000);
    const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
    expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  }
});

test.concurrent("a tool that has changed since is started as it is now", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  replaceTool(scene, "cat > /dev/null; echo '{\"new\":true}'");
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { new: true } });
});
