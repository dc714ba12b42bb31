// Promise 9 of SECURITY.md.
// @module-tag sampled
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "@ikigai/protocol";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { callTool, type Outcome } from "../src/index.ts";
import { circumstances, fixtures, schema, tool, world } from "./world.ts";

const registry = await fixtures();

/** A short timeout in milliseconds that still lets every fixture start on a busy machine. */
const timeoutMs = 1_500;

/** Less than any fixture takes if it is not ended, in milliseconds, and more than ending it takes on a busy machine. */
const longMs = 20_000;

async function call(name: string, options: Parameters<typeof circumstances>[0] = {}): Promise<Outcome> {
  return callTool(registry, name, "{}", await circumstances(options));
}

/** The process id that the fixture printed on stderr. */
function pidIn(envelope: Envelope): number {
  const pid = envelope.tool_success ? 0 : Number.parseInt(envelope.stderr, 10);
  expect(pid).toBeGreaterThan(0);
  return pid;
}

test.concurrent("ends a tool on a timeout, and keeps its output", async () => {
  const { envelope, notes, durationMs } = await call("forever", { timeoutMs });
  expect(envelope).toEqual({
    tool_success: false,
    error: "Tool 'forever' timed out after 1.5s",
    error_code: "TOOL_TIMEOUT",
    exit_code: null,
    stdout: "as far as it got",
    stderr: expect.stringMatching(/^\d+\n$/),
  });
  expect(isRunning(pidIn(envelope))).toBe(false);
  expect(notes).toEqual(["To give it more time, set tools.forever.timeoutMs in your configuration."]);
  expect(durationMs).toBeLessThan(longMs);
});

test.concurrent("kills a tool that ignores SIGTERM after two seconds", async () => {
  const { envelope, durationMs } = await call("ignore_term", { timeoutMs });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", exit_code: null });
  expect(isRunning(pidIn(envelope))).toBe(false);
  expect(durationMs).toBeGreaterThan(timeoutMs + 1_900);
  expect(durationMs).toBeLessThan(longMs);
});

test.concurrent("ends a tool that has stopped itself", async () => {
  const { envelope } = await call("stop_itself", { timeoutMs });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout: "woken\n" });
  expect(isRunning(pidIn(envelope))).toBe(false);
});

test.concurrent("ends a tool that has closed its output but keeps running", async () => {
  const { envelope } = await call("hush", { timeoutMs });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout: "" });
  expect(isRunning(pidIn(envelope))).toBe(false);
});

test.concurrent("uses its own clock if a tool claims success after SIGTERM", async () => {
  const { envelope } = await call("late_answer", { timeoutMs });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout: "partial", exit_code: null });
});

const answering = (answer: string) => `
trap 'printf %s "${answer}"; exit 0' TERM
while :; do sleep 0.05; done`;

test.concurrent("shows the output of a late answer, cut between lines", async () => {
  const lines = '{\\"output\\":\\"$(seq -s "\\\\n" 1 2000)\\",\\"exit_code\\":143}';
  const { discover } = await world({ "system/count-tool": tool(schema("count"), answering(lines)) });
  const { envelope } = await callTool(await discover(), "count", "{}", await circumstances({ timeoutMs }));
  const stdout = envelope.tool_success ? "" : envelope.stdout;
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(2_048);
  expect(stdout).toMatch(/^1\n2\n3\n(\d+\n)*… \d+ bytes left out …\n(\d+\n)*1999\n2000$/);
  const [head = "", tail = ""] = stdout.split(/\n… .*\n/);
  const whole = Array.from({ length: 2_000 }, (_, index) => String(index + 1));
  for (const line of [...head.split("\n"), ...tail.split("\n")]) expect(whole).toContain(line);
});

test.concurrent.each([
  [
    '{\\"error\\":\\"No.\\",\\"error_code\\":\\"X\\",\\"output\\":\\"o\\"}',
    '{"error":"No.","error_code":"X","output":"o"}',
  ],
  ['{\\"output\\":[1]}', '{"output":[1]}'],
  ['{\\"output\\":\\"half', '{"output":"half'],
])("keeps any other late output as printed: %s", async (answer, stdout) => {
  const { discover } = await world({ "system/late-tool": tool(schema("late"), answering(answer)) });
  const { envelope } = await callTool(await discover(), "late", "{}", await circumstances({ timeoutMs }));
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout });
});

test.concurrent("ends a tool when the user interrupts", async () => {
  const stop = new AbortController();
  const { envelope, durationMs } = await call("forever", { signal: stop.signal, onProgress: () => stop.abort() });
  expect(durationMs).toBeLessThan(longMs);
  expect(envelope).toMatchObject({
    error: "Tool 'forever' was interrupted by the user",
    error_code: "TOOL_CANCELLED",
    exit_code: null,
    stdout: "as far as it got",
  });
  expect(isRunning(pidIn(envelope))).toBe(false);
});

test.concurrent("starts nothing if the user has already interrupted", async () => {
  const { envelope } = await call("forever", { signal: AbortSignal.abort() });
  expect(envelope).toMatchObject({ error_code: "TOOL_CANCELLED", stderr: "" });
});

test.concurrent("does not wait for a grandchild that holds stdout, and kills it", async () => {
  const { envelope, notes, durationMs } = await call("leave_grandchild");
  const pid = envelope.tool_success ? Number(envelope.result.pid) : 0;
  expect(envelope).toEqual({ tool_success: true, result: { pid: expect.any(Number) } });
  expect(isRunning(pid)).toBe(false);
  expect(notes).toEqual(["It left processes running; they were killed."]);
  expect(durationMs).toBeLessThan(longMs);
});

test.concurrent("kills a grandchild that holds nothing", async () => {
  const { envelope, notes } = await call("leave_quiet_grandchild");
  const pid = envelope.tool_success ? Number(envelope.result.pid) : 0;
  expect(pid).toBeGreaterThan(0);
  expect(isRunning(pid)).toBe(false);
  expect(notes).toEqual(["It left processes running; they were killed."]);
});

test.runIf(process.platform === "linux").concurrent("finds a daemon that has left the process group", async () => {
  const options = await circumstances();
  const pidFile = join(options.cwd, "pid");
  const env = { ...process.env, PID_FILE: pidFile };
  const { envelope } = await callTool(registry, "leave_daemon", "{}", { ...options, env });
  expect(envelope).toEqual({ tool_success: true, result: {} });
  const pid = Number(readFileSync(pidFile, "utf8"));
  expect(pid).toBeGreaterThan(0);
  expect(isRunning(pid)).toBe(false);
});

test.runIf(process.platform === "linux")("finds a daemon that is just starting", async () => {
  const { root, discover } = await world({
    "system/haste-tool": tool(schema("haste"), 'setsid sleep 60 > /dev/null 2>&1 & echo "{\\"pid\\":$!}"'),
  });
  const hasty = await discover();
  const got: number[] = [];
  const options = await circumstances({ cwd: root });
  // During execve a process has no environment: with a single sweep, one in a hundred got away.
  const one = async (callId: string) => {
    const { envelope } = await callTool(hasty, "haste", "{}", { ...options, callId });
    return envelope.tool_success ? Number(envelope.result.pid) : 0;
  };
  for (let round = 0; round < 40; round++) {
    got.push(...(await Promise.all([..."abcde"].map((letter) => one(`${letter}${round}`)))));
  }
  expect(got.filter((pid) => !(pid > 0))).toEqual([]);
  // The last ones killed may still be exiting; one that got away would sleep for a minute.
  await expect.poll(() => got.filter(isRunning)).toEqual([]);
});

test.concurrent("spares what was started without the call's variable", async () => {
  const { envelope, notes } = await call("leave_background");
  const pid = envelope.tool_success ? Number(envelope.result.pid) : Number.NaN;
  try {
    expect(isRunning(pid)).toBe(true);
    expect(notes).toEqual([]);
  } finally {
    process.kill(pid, "SIGKILL");
  }
});

test.concurrent("kills all descendants of a tool", async () => {
  const { envelope } = await call("breed", { timeoutMs });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  // The group exists until its zombies are reaped.
  await vi.waitFor(() => expect(() => process.kill(-pidIn(envelope), 0)).toThrow(), 50_000);
});

test.concurrent("stops a flood, and keeps its beginning", async () => {
  const { envelope, overflowFile } = await call("flood");
  expect(envelope).toMatchObject({
    error: `Tool 'flood' was stopped because it printed more than 50 MiB; the beginning is in ${overflowFile}`,
    error_code: "OUTPUT_TOO_LARGE",
    exit_code: null,
  });
  expect(isRunning(pidIn(envelope))).toBe(false);
});

test.concurrent("drains a flood on stderr without keeping it", async () => {
  const { envelope } = await call("flood_stderr");
  expect(envelope).toEqual({ tool_success: true, result: { done: true } });
});

test.concurrent("takes the timeout from the argument, then the user, then the schema", async () => {
  const forever = registry.tools.find(({ name }) => name === "forever");
  if (!forever) throw new Error("The fixture is missing.");
  const asking = { ...forever, schema: { ...forever.schema, ikigai: { timeoutMs: 250, timeoutArgument: "wait_ms" } } };
  const world = { ...registry, tools: [asking] };
  const errorAfter = async (args: string, timeoutMs?: number) => {
    const { envelope } = await callTool(world, "forever", args, await circumstances({ timeoutMs }));
    return envelope.tool_success ? "" : envelope.error;
  };
  expect(
    await Promise.all([
      errorAfter('{"wait_ms": 100}', 60_000),
      errorAfter("{}", 150),
      errorAfter("{}"),
      errorAfter('{"wait_ms": "soon"}'),
      errorAfter('{"wait_ms": -5}'),
      errorAfter('{"wait_ms": 1.5}'),
    ]),
  ).toEqual(
    ["0.1s", "0.15s", "0.25s", "0.25s", "0.25s", "0.25s"].map((time) =>
      expect.stringContaining(`Tool 'forever' timed out after ${time}.`),
    ),
  );
});
