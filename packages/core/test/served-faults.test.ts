// @module-tag sampled
import { readdirSync, readlinkSync } from "node:fs";
import { readStat } from "@ikigai/system";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { isLinux, servingStage, untilGone } from "./serving-tool.ts";

const onLinux = test.runIf(isLinux);

onLinux.each([
  ["exit-0", { error_code: "INVALID_OUTPUT", exit_code: 0, error: expect.stringContaining("it is empty") }],
  ["crash", { error_code: "TOOL_CRASHED", exit_code: 3, stderr: "it is broken\n" }],
  ["kill", { error_code: "TOOL_CRASHED", exit_code: 137, error: expect.stringContaining("(killed by SIGKILL)") }],
  ["term", { error_code: "TOOL_CRASHED", exit_code: 143 }],
  ["text", { error_code: "INVALID_OUTPUT", stdout: "hello", error: expect.stringContaining("unexpected h at byte 0") }],
  ["other", { error_code: "INVALID_OUTPUT", error: expect.stringContaining("it is not a reply to this call") }],
  ["ready-again", { error_code: "INVALID_OUTPUT", error: expect.stringContaining("it is not a reply to this call") }],
  ["two-answers", { error_code: "INVALID_OUTPUT" }],
  ["array", { error_code: "INVALID_OUTPUT", error: expect.stringContaining("expected an object, got an array") }],
  ["half", { error_code: "INVALID_OUTPUT", exit_code: 0 }],
] as const)("reports a process that fails in a call as one-shot would: %s", async (mode, failure) => {
  const { call, answer, started } = await servingStage();
  const { pid } = await answer();
  const { envelope } = await call({ mode });
  expect(envelope).toMatchObject({ tool_success: false, exit_code: null, ...failure });
  await untilGone(pid);
  // Nothing is called twice.
  expect(started()).toHaveLength(1);
  expect(await answer()).toMatchObject({ calls: 1 });
});

onLinux("takes the first of two answers, and ends the process", async () => {
  const { answer } = await servingStage();
  const { pid } = await answer();
  expect(await answer({ mode: "two-lines" })).toEqual({ n: 1 });
  await untilGone(pid);
});

onLinux.each(["no-newline", "then-exit"])("takes the answer of a process that exits with it: %s", async (mode) => {
  const { answer } = await servingStage();
  for (let time = 0; time < 3; time++) expect(await answer({ mode })).toEqual({ n: 1 });
  expect(await answer()).toMatchObject({ calls: 1 });
});

onLinux("reports a refusal as the exit of a process of its own, and continues", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  expect((await call({ mode: "refuse" })).envelope).toEqual({
    tool_success: false,
    error: `Tool 'serving' refused the call: Expected "x" to be a number.`,
    error_code: "TOOL_CRASHED",
    exit_code: 1,
    stdout: "",
    stderr: 'Expected "x" to be a number.\nGot "y".\n',
  });
  expect(await answer()).toMatchObject({ pid, calls: 3 });
});

onLinux("reads replies with spaces, and with the id after the answer", async () => {
  const { call } = await servingStage();
  expect((await call({ mode: "spaced" })).json).toBe('{"tool_success":true,"result":{"answer":{}}}');
  const { json } = await call({ mode: "answer-first" });
  expect(json).toBe('{"tool_success":true,"result":{"call":"c2","big":12345678901234567890}}');
});

onLinux("keeps a long answer in a file, without what is around it", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const { envelope, overflowFile = "", notes } = await call({ mode: "large", bytes: 1_000_000 });
  expect(envelope).toMatchObject({ tool_success: true });
  expect(notes).toHaveLength(1);
  const { readFileSync } = await import("node:fs");
  expect(JSON.parse(readFileSync(overflowFile, "utf8"))).toEqual({ output: "x".repeat(1_000_000) });
  // Exactly as long as allowed.
  const bytes = 1_000 - '{"output":""}'.length;
  const fits = await call({ mode: "large", bytes }, { maxOutputBytes: 1_000 });
  expect(fits.overflowFile).toBeUndefined();
  const over = await call({ mode: "large", bytes: bytes + 1 }, { maxOutputBytes: 1_000 });
  expect(over.overflowFile).toBeDefined();
  expect(await answer()).toMatchObject({ pid });
});

onLinux("stops an answer of 60 MiB", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const { envelope, overflowFile } = await call({ mode: "large", bytes: 60 * 1_048_576 });
  expect(envelope).toMatchObject({
    error_code: "OUTPUT_TOO_LARGE",
    error: `Tool 'serving' was stopped because it printed more than 50 MiB; the beginning is in ${overflowFile}`,
  });
  await untilGone(pid);
});

onLinux.each(["hang", "deaf", "stop", "late"])("ends a process in time, and never uses it again: %s", async (mode) => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const { envelope, notes } = await call({ mode }, { timeoutMs: 500 });
  expect(envelope).toMatchObject({
    error:
      "Tool 'serving' timed out after 0.5s. To give a call more time, pass a larger \"timeout_ms\" (at most 600000)",
    error_code: "TOOL_TIMEOUT",
    exit_code: null,
    stdout: mode === "late" ? "so far" : "",
    stderr: "",
  });
  expect(notes).toEqual(["To give it more time, set tools.serving.timeoutMs in your configuration."]);
  await untilGone(pid);
  expect(await answer()).toMatchObject({ calls: 1 });
});

onLinux("ends the process of a call that the user interrupts, and answers the next", async () => {
  const { call, answer } = await servingStage();
  const { pid } = await answer();
  const stop = new AbortController();
  const { envelope } = await call({ mode: "hang" }, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(envelope).toMatchObject({ error_code: "TOOL_CANCELLED", exit_code: null });
  await untilGone(pid);
  expect(await answer()).toMatchObject({ calls: 1 });
});

onLinux("stops waiting for a process when the user interrupts", async () => {
  const { call, started } = await servingStage({ START_MODE: "silent" });
  const stop = new AbortController();
  const calling = call({}, { signal: stop.signal });
  await vi.waitFor(() => expect(started()).toHaveLength(1), 50_000);
  stop.abort();
  expect((await calling).envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect(started()).toHaveLength(1);
});

onLinux.each(["early", "exit", "silent"])(
  "runs a tool one-shot whose process cannot serve, and no longer tries after two: %s",
  async (mode) => {
    const { answer, started, spares, tool, options } = await servingStage({ START_MODE: mode });
    for (let time = 0; time < 4; time++)
      expect(await answer({ n: time })).toMatchObject({ oneShot: true, got: { n: time } });
    expect(started().filter(({ isOneShot }) => isOneShot)).toHaveLength(4);
    expect(started()).toHaveLength(6);
    for (const { pid } of started()) await untilGone(pid);
    const whyNot = "its process ended unexpectedly twice";
    expect(spares.served.status(tool, options)).toEqual({ whyNot, running: 0 });
  },
);

onLinux("runs a tool one-shot whose process has exited while it waited", async () => {
  const { answer, started, spares, tool, options } = await servingStage({ START_MODE: "exit-ready" });
  for (const count of [1, 2]) {
    spares.keep(tool, options);
    await vi.waitFor(() => expect(started()).toHaveLength(count), 50_000);
    await vi.waitFor(() => expect(spares.served.status(tool, options)?.running).toBe(0), 50_000);
  }
  expect(await answer()).toMatchObject({ oneShot: true });
});

onLinux("ends a process that prints while it waits", async () => {
  const { answer, started, spares, tool, options } = await servingStage({ START_MODE: "noise" });
  spares.keep(tool, options);
  await vi.waitFor(() => expect(started()).toHaveLength(1), 50_000);
  await untilGone(started()[0]?.pid);
  expect(await answer({ wait_ms: 0 })).toMatchObject({ got: { wait_ms: 0 } });
});

onLinux.each(["SIGTERM", "SIGKILL", "SIGSTOP"] as const)(
  "replaces a process that gets %s while it waits",
  async (signal) => {
    const { answer, started } = await servingStage();
    const { pid } = await answer();
    process.kill(Number(pid), signal);
    // Otherwise the call could still reach it, and would be its last.
    const state = () => readStat(Number(pid))?.state ?? "gone";
    await vi.waitFor(() => expect(["T", "Z", "gone"]).toContain(state()), 50_000);
    const next = await answer();
    expect(next.pid).not.toBe(pid);
    await untilGone(pid);
    expect(started().length).toBeGreaterThan(1);
    expect(ownFiles()).toContain(`/proc/${next.pid}/stat`);
    expect(ownFiles()).not.toContain(`/proc/${pid}/stat`);
  },
);

/** The files that this process has open. */
function ownFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return [];
    }
  });
}

onLinux("runs one-shot after two processes that died of their calls", async () => {
  const { call, answer } = await servingStage();
  for (let time = 0; time < 2; time++) expect((await call({ mode: "crash" })).envelope).toMatchObject({ exit_code: 3 });
  expect(await answer()).toMatchObject({ oneShot: true });
  expect(isRunning(process.pid)).toBe(true);
});
