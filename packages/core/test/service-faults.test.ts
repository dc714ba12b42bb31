// @module-tag sampled
import { isExiting } from "@ikigai/system";
import { isRunning } from "@ikigai/testing";
import { afterEach, expect, test, vi } from "vitest";
import { serviceStage } from "./service-stage.ts";
import { isLinux, untilGone } from "./serving-tool.ts";

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["crash", { exit_code: 3, stderr: "\x1b[31mit is broken\x1b[0m\n\n" }, "ended with exit code 3: it is broken"],
  // What it printed before, as at its start, is not about this call.
  ["kill", { exit_code: 137, stderr: "" }, "was killed by SIGKILL"],
  // A line without its end counts only if the exit code is 0.
  ["cut-off", { exit_code: 3, stderr: "" }, "ended with exit code 3"],
])("reports a service that dies in a call, and starts it again: %s", async (mode, details, what) => {
  const { call, answer, home, started } = await serviceStage();
  const other = call({ mode: "deaf" });
  const { pid } = await answer();
  const { envelope } = await call({ mode });
  const why = `Tool 'counting' failed: its service 'counting' ${what}; its log is ${home}/logs/service-counting.log. The next call starts it again`;
  expect(envelope).toMatchObject({ error_code: "SERVICE_DIED", error: why, ...details });
  // So do all other calls that it was working on.
  expect((await other).envelope).toMatchObject({ error_code: "SERVICE_DIED", error: why });
  await untilGone(pid);
  // Nothing is called twice.
  expect(started()).toHaveLength(1);
  expect(await answer()).toMatchObject({ count: 1 });
});

test.runIf(isLinux)(
  "starts a service again that died while it did nothing, also if it is only about to exit",
  async () => {
    const { answer } = await serviceStage();
    for (let time = 0; time < 2; time++) {
      const { pid, count } = await answer({ mode: "much-memory" });
      expect(count).toBe(1);
      process.kill(Number(pid), "SIGKILL");
      // The host learns none of its end meanwhile.
      while (!isExiting(Number(pid))) {}
    }
    expect(await answer()).toMatchObject({ count: 1 });
  },
);

test("no longer starts a service after three deaths, until the tools are refreshed", async () => {
  const { call, answer, started, spares, home } = await serviceStage();
  for (let time = 0; time < 3; time++) {
    expect(await answer()).toMatchObject({ count: 1 });
    expect((await call({ mode: "crash" })).envelope).toMatchObject({ error_code: "SERVICE_DIED" });
  }
  const why = `its service 'counting' ended unexpectedly 3 times within 60 seconds; its log is ${home}/logs/service-counting.log`;
  expect((await call()).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: `Tool 'counting' was not called: ${why}. To start it again: /refresh`,
  });
  expect(started()).toHaveLength(3);
  spares.refresh();
  expect(await answer()).toMatchObject({ count: 1 });
});

test("counts only the deaths of the last minute", async () => {
  const { call, answer } = await serviceStage();
  for (let time = 0; time < 4; time++) {
    expect((await call({ mode: "crash" })).envelope).toMatchObject({ error_code: "SERVICE_DIED" });
    const nowMs = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(nowMs + 31_000);
  }
  vi.restoreAllMocks();
  expect(await answer()).toMatchObject({ count: 1 });
});

test.each([
  ["text", { stdout: "hello", error: expect.stringContaining("unexpected h at byte 0") }],
  ["array", { stdout: "[1]", error: expect.stringContaining("expected an object, got an array") }],
  ["ready-again", { stdout: '{"ready":true}', error: expect.stringContaining("it is not a reply to a call") }],
])("ends a service that prints something else, with all its calls: %s", async (mode, failure) => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const other = call({ mode: "deaf" });
  for (const { envelope } of [await call({ mode }), await other]) {
    expect(envelope).toMatchObject({ error_code: "INVALID_OUTPUT", ...failure });
  }
  await untilGone(pid);
  expect(await answer()).toMatchObject({ count: 1 });
});

test.each(["two-answers", "answer-then-text"])("takes the first answer, and ends the service: %s", async (mode) => {
  const { answer } = await serviceStage();
  const { pid } = await answer();
  expect(await answer({ mode })).toEqual({ n: 1 });
  await untilGone(pid);
});

test("takes no answer that arrives together with another line before it, and logs that line", async () => {
  const { call, answer, log } = await serviceStage();
  const { pid } = await answer();
  const { envelope } = await call({ mode: "text-then-answer" });
  expect(envelope).toMatchObject({
    error_code: "INVALID_OUTPUT",
    stdout: "debugging",
    error: expect.stringContaining("unexpected d at byte 0"),
  });
  await untilGone(pid);
  expect(log()).toMatch(/^--- \S+ stopped: it printed "debugging", which is not a reply to a call$/m);
});

test.each(["then-exit", "no-newline"])("takes the answer of a service that exits with it: %s", async (mode) => {
  const { answer } = await serviceStage();
  const { pid } = await answer();
  expect(await answer({ mode })).toEqual({ n: 1 });
  // Until it exits, it could be given another call.
  await untilGone(pid);
  expect(await answer()).toMatchObject({ count: 1 });
});

test.each(["large", "large-text"])("stops a service that prints a line of 60 MiB: %s", async (mode) => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const { envelope } = await call({ mode, bytes: 60 * 1_048_576 }, { timeoutMs: 120_000 });
  expect(envelope).toMatchObject({
    error_code: "OUTPUT_TOO_LARGE",
    error: expect.stringContaining("more than 50 MiB"),
  });
  await untilGone(pid);
  expect(await answer()).toMatchObject({ count: 1 });
});

test.each([
  ["deaf", ""],
  ["partial", "so far"],
])("ends a call in time, but not its service: %s", async (mode, stdout) => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const { envelope, notes } = await call({ mode }, { timeoutMs: 300 });
  expect(envelope).toEqual({
    tool_success: false,
    error:
      "Tool 'counting' timed out after 0.3s. To give a call more time, pass a larger \"timeout_ms\" (at most 600000)",
    error_code: "TOOL_TIMEOUT",
    ...{ exit_code: null, stdout, stderr: "" },
  });
  expect(notes).toEqual(["To give it more time, set tools.counting.timeoutMs in your configuration."]);
  expect(await answer()).toMatchObject({ pid, count: 3 });
});

test("ends a call that the user interrupts, but not its service", async () => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const stop = new AbortController();
  const stopped = call({ mode: "partial" }, { signal: stop.signal });
  await answer();
  stop.abort();
  expect((await stopped).envelope).toMatchObject({ error_code: "TOOL_CANCELLED", stdout: "so far" });
  expect(await answer()).toMatchObject({ pid, count: 4 });
});

test("drops progress and an answer that come too late", async () => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  const reports: unknown[] = [];
  const onProgress = (report: unknown) => reports.push(report);
  const { envelope } = await call({ mode: "late", late_ms: 2_500 }, { timeoutMs: 300, onProgress });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT", stdout: "" });
  // By then the late answer has come.
  expect(await answer({ wait_ms: 1_000 })).toMatchObject({ pid, count: 3 });
  expect(reports).toEqual([]);
});

test("does not count the start in the time of a call", async () => {
  const { call } = await serviceStage({ START_MODE: "progress" });
  const { envelope } = await call({ mode: "deaf" }, { timeoutMs: 10 });
  expect(envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
});

test("answers a call with the error of a service that cannot start, which does not count as a death", async () => {
  const { call, started } = await serviceStage({ START_MODE: "error" });
  for (let time = 1; time <= 4; time++) {
    const { envelope } = await call();
    expect(envelope).toEqual({
      tool_success: true,
      result: { error: "Log in first", error_code: "MISSING_CREDENTIALS" },
    });
    expect(started()).toHaveLength(time);
  }
  for (const { pid } of started()) await untilGone(pid);
});

test.each([
  [
    "crash",
    "SERVICE_DIED",
    "its service 'counting' did not get ready: it ended with exit code 3: it is broken; its log is",
  ],
  ["text", "INVALID_OUTPUT", "unexpected h at byte 0"],
  ["text-then-ready", "INVALID_OUTPUT", "unexpected h at byte 0"],
])("reports a service that does not get ready: %s", async (mode, code, what) => {
  const { call, started } = await serviceStage({ START_MODE: mode });
  const calls = await Promise.all([call(), call()]);
  for (const { envelope } of calls) {
    expect(envelope).toMatchObject({ error_code: code, error: expect.stringContaining(what) });
  }
  expect(started()).toHaveLength(1);
});

test("waits a minute for a service to get ready", async () => {
  const { call, started, spares, log } = await serviceStage({ START_MODE: "silent" });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const calling = call({}, { timeoutMs: 10 });
  await vi.waitUntil(() => log().includes("starting\n"), { timeout: 20_000, interval: 20 });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(isRunning(Number(started()[0]?.pid))).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  vi.useRealTimers();
  expect(log()).toMatch(/ stopped: it was not ready after 60 seconds$/m);
  expect((await calling).envelope).toMatchObject({
    error_code: "TOOL_UNAVAILABLE",
    error: expect.stringContaining("its service 'counting' was not ready after 60 seconds: starting; its log is"),
  });
  expect(spares.services.list()).toEqual([]);
  await untilGone(started()[0]?.pid);
});

test("stops waiting for a start when the user interrupts; the service keeps starting", async () => {
  const { call, answer, started } = await serviceStage({ START_MODE: "progress" });
  const stop = new AbortController();
  const { envelope } = await call({}, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect(await answer()).toMatchObject({ count: 1 });
  expect(started()).toHaveLength(1);
});

test("calls a service that was stopped and continued", async () => {
  const { call, answer } = await serviceStage();
  const { pid } = await answer();
  expect((await call({ mode: "stop" }, { timeoutMs: 300 })).envelope).toMatchObject({ error_code: "TOOL_TIMEOUT" });
  process.kill(Number(pid), "SIGCONT");
  expect(await answer()).toMatchObject({ pid, count: 3 });
});
