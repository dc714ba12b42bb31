import { readFileSync } from "node:fs";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { startAhead } from "../src/internal.ts";
import { callPrepared, replaceTool, stage } from "./waiting-tool.ts";

test.concurrent("answers a call from a tool that was started ahead", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { pid: scene.pids()[0], ahead: "1" } });
  expect(scene.pids().length).toBe(1);
});

test.concurrent("answers a call that comes right after the start", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "1" } });
});

test.concurrent("does not start a tool without prestart ahead", async () => {
  const scene = await stage(undefined, {});
  expect(startAhead(scene.waiting, scene.options)).toBeUndefined();
});

test.concurrent("kills a process whose call never comes, without giving it input", async () => {
  const scene = await stage('echo $$ >> "$PID_FILE"; read -r args; echo input >> "$PID_FILE"');
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  ahead?.discard();
  const [pid = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
  expect(scene.pids()).toEqual([pid]);
});

test.concurrent.each([
  ["another timeout", '{"timeout_ms":5000}\n', {}],
  ["another directory", "{}\n", { cwd: "/" }],
  ["another environment", "{}\n", { sessionId: "another" }],
])("starts another process for a call with %s", async (_what, args, different) => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  const { envelope } = await callPrepared(scene.waiting, args, { ...scene.options, ...different, ahead });
  expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  const [first = 0] = scene.pids();
  await vi.waitFor(() => expect(isRunning(first)).toBe(false), 50_000);
});

test.concurrent("does not use a process that has exited or printed", async () => {
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
    await vi.waitFor(() => expect(isOver(pid)).toBe(true), 50_000);
    const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
    expect(envelope).toMatchObject({ tool_success: true, result: { ahead: "" } });
  }
});

test.concurrent("starts a tool that has changed as it is now", async () => {
  const scene = await stage();
  const ahead = startAhead(scene.waiting, scene.options);
  await scene.untilStarted();
  replaceTool(scene, "cat > /dev/null; echo '{\"new\":true}'");
  const { envelope } = await callPrepared(scene.waiting, "{}\n", { ...scene.options, ahead });
  expect(envelope).toEqual({ tool_success: true, result: { new: true } });
});
