import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@ikigai/testing";
import { expect, test } from "vitest";
import { withDefaults } from "../src/call/options.ts";
import { prepareCall } from "../src/call/prepare-call.ts";
import { execute } from "../src/index.ts";
import { startAhead } from "../src/internal.ts";
import { copies, serviceStage } from "./service-stage.ts";
import { servingStage } from "./serving-tool.ts";

test("answers all calls of a conversation from one process with state", async () => {
  const { answer, started } = await serviceStage();
  const first = await answer({ n: 1 });
  expect(first).toMatchObject({ count: 1, tool: "counting", got: { n: 1 } });
  expect(await answer()).toMatchObject({ count: 2, pid: first.pid });
  expect(started()).toEqual([{ pid: first.pid, isOneShot: false }]);
});

test("starts a service only for a call", async () => {
  const { tool, spares, options, started } = await serviceStage();
  expect(startAhead(tool, options)).toBeUndefined();
  spares.keep(tool, options);
  await sleep(100);
  expect(started()).toEqual([]);
  expect(spares.services.list()).toEqual([]);
});

test("makes calls at the same time in the one process, and answers in any order", async () => {
  const { answer, started } = await serviceStage();
  const ends: number[] = [];
  const calls = [300, 0, 150].map(async (waitMs) => {
    const { got } = await answer({ wait_ms: waitMs });
    ends.push(waitMs);
    return got;
  });
  expect(await Promise.all(calls)).toEqual([{ wait_ms: 300 }, { wait_ms: 0 }, { wait_ms: 150 }]);
  expect(ends).toEqual([0, 150, 300]);
  expect(started()).toHaveLength(1);
});

test("shares one service between the tools of a directory, and says which one is called", async () => {
  const [one, two] = await copies("one", "two");
  const { answer, call, options, spares, home } = await serviceStage({}, one);
  const { pid } = await answer();
  const other = await servingStage({}, two);
  const more = { ...options, spares, home };
  const second = await other.answer({ mode: "environment" }, more);
  expect(second).toMatchObject({ pid, count: 2, tool: "two", name: "one" });
  expect(second.env).toMatchObject({ IKIGAI_TOOL_NAME: "two" });
  const { envelope } = await call({ mode: "environment" });
  expect(envelope).toMatchObject({ result: { env: expect.not.objectContaining({ IKIGAI_TOOL_NAME: "one" }) } });
});

test("gives services of the same name in two directories a process each", async () => {
  const [here] = await copies("one");
  const [there] = await copies("one");
  const stage = await serviceStage({}, here);
  const other = await servingStage({}, there);
  const { pid } = await stage.answer();
  const second = await other.answer({}, { ...stage.options, spares: stage.spares });
  expect(second).toMatchObject({ count: 1 });
  expect(second.pid).not.toBe(pid);
  expect(stage.spares.services.list().map(({ name }) => name)).toEqual(["counting", "counting"]);
});

test("passes on the variables and the arguments of a call as a served call does", async () => {
  const { answer } = await serviceStage();
  const first = await answer({ mode: "environment", timeout_ms: 5_000 }, { callId: "one", maxOutputBytes: 4_096 });
  const limits = { IKIGAI_TIMEOUT_MS: "5000", IKIGAI_MAX_OUTPUT_BYTES: "4096" };
  expect(first.env).toEqual({ IKIGAI_CALL_ID: "one", ...limits });
  expect(first.names).not.toContain("IKIGAI_SERVE");
  expect((await answer({ text: "x".repeat(1_048_576), lines: "a\nb" })).got).toMatchObject({ lines: "a\nb" });
});

test("shows the progress of the start, and of each call", async () => {
  const { call } = await serviceStage({ START_MODE: "progress" });
  const reports: unknown[] = [];
  await call({ mode: "progress", name: "a" }, { onProgress: (report) => reports.push(report) });
  expect(reports).toEqual([
    { progress: 0, message: "counting: starting" },
    { progress: 0, message: "almost there" },
    { progress: 0, message: "counting: ready" },
    ...[1, 2, 3].map((progress) => ({ progress, message: "a" })),
  ]);
});

test("reads an answer whose id comes at the end", async () => {
  const { call } = await serviceStage();
  const { json } = await call({ mode: "answer-first" });
  expect(json).toBe(`{"tool_success":true,"result":{"text":"${"é".repeat(500)}","big":12345678901234567890}}`);
});

test("reports a refusal as the exit of a process of its own, and continues", async () => {
  const { call, answer } = await serviceStage();
  expect((await call({ mode: "refuse" })).envelope).toMatchObject({
    error_code: "TOOL_CRASHED",
    exit_code: 1,
    stderr: "Expected something else.\nReally.\n",
  });
  expect(await answer()).toMatchObject({ count: 2 });
});

test("keeps a long answer in a file", async () => {
  const { call, answer } = await serviceStage();
  const { envelope, overflowFile } = await call({ mode: "large", bytes: 1_000_000 });
  expect(envelope).toMatchObject({ tool_success: true });
  expect(statSync(overflowFile ?? "").size).toBe('{"output":""}'.length + 1_000_000);
  expect(await answer()).toMatchObject({ count: 2 });
});

test.each([
  ["IKIGAI_NO_SERVE", { env: { ...process.env, IKIGAI_NO_SERVE: "1" } }],
  ["the configuration", { serve: false }],
  ["no pool", { spares: undefined }],
])("runs one process per call with %s", async (_what, different) => {
  const { answer } = await serviceStage();
  expect(await answer({}, different)).toMatchObject({ oneShot: true, count: 1 });
  expect(await answer({}, different)).toMatchObject({ oneShot: true, count: 1 });
});

test("gives arguments that are not an object a process of their own", async () => {
  const { tool, options, started } = await serviceStage();
  await execute(tool, "nonsense", options);
  expect(started().map(({ isOneShot }) => isOneShot)).toEqual([true]);
});

test("lists a service, and ends it when asked; the next call starts it again", async () => {
  const { answer, spares, tool, options, home } = await serviceStage();
  const { pid } = await answer();
  const [service] = spares.services.list();
  expect(service).toMatchObject({
    name: "counting",
    directory: join(import.meta.dirname, "fixtures"),
    ...{ pid, calls: 1, isReady: true, isSandboxed: false },
    log: join(home, "logs/service-counting.log"),
  });
  expect(spares.services.status(tool, options)).toMatchObject({ name: "counting", running: [{ pid }] });
  await service?.end();
  expect(isRunning(Number(pid))).toBe(false);
  expect(spares.services.list()).toEqual([]);
  expect(await answer()).toMatchObject({ count: 1 });
});

test.each(["refresh", "close"] as const)("ends services on %s", async (verb) => {
  const { answer, spares } = await serviceStage();
  const { pid } = await answer();
  if (verb === "close") await spares.close();
  else await spares.services.refresh();
  expect(isRunning(Number(pid))).toBe(false);
  expect(await answer()).toMatchObject(verb === "close" ? { oneShot: true } : { count: 1 });
});

test("starts no service in a pool that is closed meanwhile", async () => {
  const { tool, spares, options, started } = await serviceStage();
  const late = spares.call(prepareCall(tool, "{}", withDefaults(options)));
  await spares.close();
  expect((await late)?.envelope).toMatchObject({ error_code: "TOOL_CANCELLED" });
  expect(started()).toEqual([]);
});

test("ends the services of a conversation that is over, and those of tools that are gone", async () => {
  const [one, two] = await copies("one", "two");
  const { answer, spares } = await serviceStage({}, one);
  const { pid } = await answer();
  const other = await answer({}, { sessionId: "another" });
  await spares.services.endSession("another");
  expect([isRunning(Number(other.pid)), isRunning(Number(pid))]).toEqual([false, true]);
  // Another tool of the same service is still there.
  await spares.services.retain(two ? [two] : []);
  expect(await answer()).toMatchObject({ pid, count: 2 });
  await spares.services.retain([]);
  expect(isRunning(Number(pid))).toBe(false);
});
