// @module-tag sampled
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { call, isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, run } from "./run.ts";

/** Starts the tool, and waits until its command has printed. */
async function started(command: string): Promise<{ tool: ChildProcessWithoutNullStreams; cwd: string }> {
  const cwd = await tempDir();
  const tool = spawn(bin, { cwd, detached: true });
  tool.stdin.end(JSON.stringify({ command: `${command.replace("READY", ": > ready")}` }));
  await expect.poll(() => existsSync(`${cwd}/ready`)).toBe(true);
  return { tool, cwd };
}

function pidsIn(file: string): number[] {
  return readFileSync(file, "utf8").trim().split("\n").map(Number);
}

test.each<[signal: NodeJS.Signals, exitCode: number]>([
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
])("returns the output up to %s", async (signal, exitCode) => {
  const { tool, cwd } = await started("echo $$ > pids; echo partial; READY; sleep 60; echo no");
  tool.kill(signal);
  expect(JSON.parse(await text(tool.stdout))).toEqual({ output: "partial", exit_code: exitCode });
  expect(pidsIn(`${cwd}/pids`).filter(isRunning)).toEqual([]);
});

// A very busy machine may use up that time.
test("answers within the host's grace period, however the command handles SIGTERM", { retry: 3 }, async () => {
  const { tool, cwd } = await started(
    'trap "" TERM; echo $$ > pids; sh -c "while :; do sleep 0.1; done" & echo $! >> pids; echo a; READY; while :; do sleep 0.1; done',
  );
  const before = performance.now();
  tool.kill("SIGTERM");
  expect(JSON.parse(await text(tool.stdout))).toEqual({ output: "a", exit_code: 143 });
  expect(performance.now() - before).toBeLessThan(1_900);
  await expect.poll(() => pidsIn(`${cwd}/pids`).filter(isRunning)).toEqual([]);
});

test("stops a suspended command", async () => {
  const { tool } = await started("echo a; READY; kill -STOP $$");
  tool.kill("SIGTERM");
  expect(JSON.parse(await text(tool.stdout))).toEqual({ output: "a", exit_code: 143 });
});

test("lets a command print on SIGTERM", async () => {
  const { tool } = await started("trap 'echo bye; exit 0' TERM; echo a; READY; while :; do :; done");
  tool.kill("SIGTERM");
  expect(JSON.parse(await text(tool.stdout))).toEqual({ output: "a\nbye", exit_code: 143 });
});

test.each([{}, { IKIGAI_PRESTART: "1" }])("exits on SIGTERM while it waits for its input, with %j", async (env) => {
  const tool = spawn(bin, { env: { ...process.env, ...env } });
  await new Promise((settle) => setTimeout(settle, 200));
  tool.kill("SIGTERM");
  expect(await once(tool, "exit")).toEqual([null, "SIGTERM"]);
});

test("stops a command on a timeout", async () => {
  expect(await call(bin, { command: "echo a; sleep 60; echo b", timeout_ms: 1_500 })).toEqual(answer("a", 124));
});

test("lets the host report the timeout first", async () => {
  const timeoutMs = 3_000;
  const env = { IKIGAI_TIMEOUT_MS: `${timeoutMs}` };
  expect(await call(bin, { command: "echo a; sleep 60", timeout_ms: timeoutMs }, { env, timeoutMs })).toEqual({
    ...answer("a", 143),
    timedOut: true,
  });
});

test("stops a command under a host that does not", async () => {
  const env = { IKIGAI_TIMEOUT_MS: "30000" };
  expect(await call(bin, { command: "echo a; sleep 60", timeout_ms: 1_500 }, { env })).toEqual(answer("a", 124));
});

test("accepts a timeout longer than Node's timers", async () => {
  expect(await call(bin, { command: "sleep 0.1; echo a", timeout_ms: 9_000_000_000 })).toEqual(answer("a"));
});

test.each([
  ["what still prints", "sleep 60 & echo $!"],
  ["what does not", "sleep 60 > /dev/null 2>&1 & echo $!"],
  ["what ignores signals", "nohup sh -c 'trap \"\" TERM; sleep 60' > /dev/null 2>&1 & echo $!"],
])("kills %s in the background of the command", async (_, command) => {
  const { result } = await run(command);
  await expect.poll(() => isRunning(Number(result?.output))).toBe(false);
});
