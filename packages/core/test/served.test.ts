import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { startAhead } from "../src/internal.ts";
import { isLinux, servingStage, untilGone } from "./serving-tool.ts";
import { callPrepared } from "./waiting-tool.ts";

const onLinux = test.runIf(isLinux);

onLinux("answers one call after the other from one process", async () => {
  const { answer, started } = await servingStage();
  const pids = [];
  for (const calls of [1, 2, 3]) {
    const { pid, ...rest } = await answer({ n: calls });
    expect(rest).toMatchObject({ calls, got: { n: calls } });
    pids.push(pid);
  }
  expect(new Set(pids).size).toBe(1);
  expect(started()).toEqual([{ pid: pids[0], isOneShot: false }]);
});

onLinux("passes on the variables of a call with the call", async () => {
  const { answer } = await servingStage();
  const first = await answer(
    { mode: "environment", timeout_ms: 5_000 },
    { callId: "one", maxOutputBytes: 4_096, answerBytes: 2_048 },
  );
  const second = await answer({ mode: "environment" }, { callId: "another one" });
  const limits = { IKIGAI_TIMEOUT_MS: "5000", IKIGAI_MAX_OUTPUT_BYTES: "4096" };
  expect(first.env).toEqual({ IKIGAI_CALL_ID: "one", ...limits, IKIGAI_ANSWER_BYTES: "2048" });
  expect(second.env).toMatchObject({ IKIGAI_CALL_ID: "another one", IKIGAI_TIMEOUT_MS: "30000" });
  expect(second.env).not.toHaveProperty("IKIGAI_ANSWER_BYTES");
  expect(second.pid).toBe(first.pid);
});

onLinux("passes on the arguments as they were written, on one line", async () => {
  const { tool, options } = await servingStage();
  const text = `{\n  "big": 12345678901234567890,\r\n\t"text": "${"x".repeat(1_048_576)}\\n"\n}\n`;
  const { envelope } = await callPrepared(tool, text, options);
  expect(envelope).toMatchObject({ tool_success: true });
  const { json } = await callPrepared(tool, '\n{"a":\n [1,\n 2]}', options);
  expect(json).toContain('"got":{"a":[1,2]}');
});

onLinux.each(["", "nonsense", "[1]", '{"a":1},"arguments":{"b":2}', '{"a":"\n"}'])(
  "gives arguments that are not an object a process of their own: %j",
  async (text) => {
    const { tool, options, started } = await servingStage();
    await callPrepared(tool, text, options);
    expect(started().map(({ isOneShot }) => isOneShot)).toEqual([true]);
  },
);

onLinux("passes on progress, each report with its own call", async () => {
  const { call } = await servingStage();
  for (const name of ["a", "b"]) {
    const reports: unknown[] = [];
    await call({ mode: "progress", name }, { onProgress: (report) => reports.push(report) });
    expect(reports).toEqual([1, 2, 3].map((progress) => ({ progress, message: name })));
  }
});

onLinux("continues without progress when the tool has closed descriptor 3", async () => {
  const { answer } = await servingStage();
  const { pid } = await answer({ mode: "close-3" });
  expect(await answer()).toMatchObject({ pid, calls: 2 });
});

onLinux.each([2, 8])("answers %i calls at once", async (count) => {
  const { answer, spares, tool, options } = await servingStage();
  const calls = Array.from({ length: count }, (_, n) => answer({ n, wait_ms: 300 }));
  const answers = await Promise.all(calls);
  expect(answers.map(({ got }) => got)).toEqual(answers.map((_, n) => ({ n, wait_ms: 300 })));
  const running = () => spares.served.status(tool, options)?.running;
  await vi.waitFor(() => expect(running()).toBe(2), 50_000);
});

onLinux("uses a process that is done sooner than another could start", async () => {
  const { answer, started } = await servingStage();
  await answer();
  await Promise.all(Array.from({ length: 8 }, () => answer()));
  expect(started().length).toBeLessThan(9);
});

onLinux("replaces a process after 200 calls", async () => {
  const { answer } = await servingStage();
  let last = await answer();
  // A busy machine may have replaced it before.
  for (let n = 0; n < 1_000 && Number(last.calls) < 200; n++) last = await answer();
  expect(last.calls).toBe(200);
  const next = await answer();
  expect([next.calls, next.pid === last.pid]).toEqual([1, false]);
  await untilGone(last.pid);
});

onLinux("replaces a process that has grown", async () => {
  const { answer } = await servingStage();
  const { pid } = await answer({ mode: "memory" });
  let last = pid;
  for (let n = 0; n < 12; n++) last = (await answer()).pid;
  expect(last).not.toBe(pid);
  await untilGone(pid);
});

onLinux("has processes ready for the calls that were announced, two at most", async () => {
  const { tool, options, spares, started, answer } = await servingStage();
  const announced = ["a", "b", "c"].map((callId) => startAhead(tool, { ...options, callId }));
  await vi.waitFor(() => expect(started()).toHaveLength(2), 50_000);
  for (const ahead of announced) ahead?.discard();
  expect(spares.served.status(tool, options)).toEqual({ running: 2 });
  await Promise.all([answer({ wait_ms: 300 }), answer({ wait_ms: 300 })]);
  expect(started()).toHaveLength(2);
});

onLinux("has a process ready after one that was ended", async () => {
  const { tool, options, spares, started, call } = await servingStage();
  await call({ mode: "hang" }, { timeoutMs: 500 });
  spares.keep(tool, options);
  spares.keep(tool, options);
  await vi.waitFor(() => expect(started()).toHaveLength(2), 50_000);
});

onLinux("ends its processes with the pool, and starts no more", async () => {
  const { answer, spares } = await servingStage();
  const { pid } = await answer();
  spares.close();
  await untilGone(pid);
  expect(await answer()).toMatchObject({ oneShot: true });
});

onLinux("ends waiting processes on a refresh, and working ones after their call", async () => {
  const { answer, spares } = await servingStage();
  const [first] = [await answer()];
  const working = answer({ wait_ms: 500 });
  await sleep(100);
  spares.refresh();
  expect(await working).toMatchObject({ pid: first?.pid });
  await untilGone(first?.pid);
  const next = await answer();
  expect(next.calls).toBe(1);
  spares.refresh();
  await untilGone(next.pid);
});

onLinux("serves no call without a pool, or where the user turned it off", async () => {
  const { answer, options, spares, tool } = await servingStage();
  const off = { ...options.env, IKIGAI_NO_SERVE: "1" };
  for (const different of [{ spares: undefined }, { serve: false }, { env: off }]) {
    expect(await answer({}, different)).toMatchObject({ oneShot: true });
  }
  const whyNot = (different: object) => spares.served.status(tool, { ...options, ...different })?.whyNot;
  expect(whyNot({ serve: false })).toBe("tools.serving.serve is false in your configuration");
  expect(whyNot({ env: off })).toBe("IKIGAI_NO_SERVE is set");
  expect(whyNot({})).toBeUndefined();
});

onLinux("serves neither a project's tool nor one with a launcher", async () => {
  const { options, spares, tool } = await servingStage();
  const { served } = spares;
  expect(served.serves(tool, options)).toBe(true);
  expect(served.serves({ ...tool, scope: "project" }, options)).toBe(false);
  expect(served.serves({ ...tool, launcher: { argv: ["env"], path: tool.path } }, options)).toBe(false);
  const plain = { ...tool, schema: { ...tool.schema, ikigai: { prestart: true } } };
  expect(served.serves(plain, options)).toBe(false);
  const service = { ...tool, schema: { ...tool.schema, ikigai: { serves: true, service: "s" } } };
  expect(served.serves(service, options)).toBe(false);
  expect(served.status(plain, options)).toBeUndefined();
});

onLinux("does not pass IKIGAI_NO_SERVE on", async () => {
  const { answer } = await servingStage({ IKIGAI_NO_SERVE: "0" });
  const { names } = await answer({ mode: "environment" });
  expect(names).not.toContain("IKIGAI_NO_SERVE");
  expect(names).toContain("IKIGAI_SERVE");
});

onLinux("shows no secret of one call to the next", async () => {
  const { answer, options } = await servingStage();
  const first = await answer({ mode: "environment" }, { env: { ...options.env, SECRET: "s3cret" } });
  const second = await answer({ mode: "environment" });
  expect([first.secret, second.secret]).toEqual(["s3cret", null]);
  await untilGone(first.pid);
  expect(isRunning(Number(second.pid))).toBe(true);
});
