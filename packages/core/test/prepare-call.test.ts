import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { maxPlanAgeMs } from "@ikigai/sandbox";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, execute, findTool, type RegisteredTool, spareTools } from "../src/index.ts";
import { executeCall, prepareCall, startAhead } from "../src/internal.ts";
import { countParses } from "./count-parses.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";
import { callPrepared } from "./waiting-tool.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const prestart = { ikigai: { prestart: true, timeoutArgument: "timeout_ms" } };
const text = '{"mark":"counted-here","timeout_ms":20000}';

async function stage() {
  const { discover } = await world({ "system/count-tool": tool(schema("count", prestart)) });
  const registry = await discover();
  return { registry, counted: findTool(registry, "count") as RegisteredTool, options: await circumstances() };
}

test("parses the arguments of a call once", async () => {
  const { registry, counted, options } = await stage();
  const parses = countParses("counted-here");
  expect((await callTool(registry, "count", text, options)).envelope.tool_success).toBe(true);
  expect(parses()).toBe(1);
  const prepared = prepareCall(counted, { text, value: { timeout_ms: 20_000 } }, options);
  expect(prepared.limits.timeoutMs).toBe(20_000);
  expect((await executeCall(prepared)).envelope.tool_success).toBe(true);
  expect(parses()).toBe(1);
});

test("logs exactly what the process receives", async () => {
  const { discover, root } = await world({
    "system/tell-tool": tool(
      schema("tell"),
      `cat > /dev/null; printf '{"id":"%s","ms":"%s"}' "$IKIGAI_CALL_ID" "$IKIGAI_TIMEOUT_MS"`,
    ),
  });
  const telling = findTool(await discover(), "tell") as RegisteredTool;
  const env = { ...process.env, IKIGAI_HOME: root };
  const options = await circumstances({ callId: "c1", timeoutMs: 7_000, env });
  const prepared = prepareCall(telling, "{}", options);
  expect(prepared.variables).toEqual({
    IKIGAI_HOME: root,
    IKIGAI_PROJECT_DIR: options.projectDir,
    IKIGAI_TIMEOUT_MS: "7000",
    IKIGAI_MAX_OUTPUT_BYTES: "65536",
  });
  expect((await executeCall(prepared)).envelope).toEqual({ tool_success: true, result: { id: "c1", ms: "7000" } });
});

test("uses the call id of the spare process that serves a call", async () => {
  const { counted, options } = await stage();
  const spares = spareTools();
  onTestFinished(() => spares.close());
  spares.keep(counted, options);
  const first = prepareCall(counted, "{}", { ...options, callId: "c1", spares });
  expect(first.callId).toMatch(/^ahead-\d+-[\de-]+$/);
  expect(first.variables.IKIGAI_CALL_ID).toBe(first.callId);
  first.ahead?.discard();
  const second = prepareCall(counted, "{}", { ...options, callId: "c2", spares });
  expect([second.callId, second.variables.IKIGAI_CALL_ID]).toEqual(["c2", undefined]);
});

describe.skipIf(!hasBubblewrap)("the plan of a sandbox (needs bwrap)", () => {
  const { readFileSync } = fs;
  let plans = 0;

  beforeEach(() => {
    plans = 0;
    // Every plan reads this table, and nothing else does.
    fs.readFileSync = ((path: fs.PathOrFileDescriptor, ...rest: []) => {
      if (path === "/proc/net/unix") plans++;
      return readFileSync(path, ...rest);
    }) as typeof readFileSync;
    syncBuiltinESMExports();
  });

  afterEach(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
    vi.useRealTimers();
  });

  async function sandboxed() {
    const { discover, projectDir, sandbox } = await sandboxStage({
      "system/count-tool": tool(schema("count", prestart), `read -r args; printf '{"ahead":"%s"}' "$IKIGAI_PRESTART"`),
    });
    const counted = findTool(await discover(), "count") as RegisteredTool;
    const options = await circumstances({ cwd: projectDir, projectDir, sandbox: { ...sandbox, sockets: true } });
    return { counted, options };
  }

  test("is made once per call, whether its process was started ahead, was waiting, or neither", async () => {
    const { counted, options } = await sandboxed();
    const spares = spareTools();
    onTestFinished(() => spares.close());
    const refills: (() => void)[] = [];
    for (const callId of ["c1", "c2", "c3"]) {
      const own: CallOptions = { ...options, callId, spares, refill: (start) => refills.push(start) };
      const ahead = startAhead(counted, own);
      const { envelope } = await callPrepared(counted, "{}\n", { ...own, ahead });
      expect(envelope).toEqual({ tool_success: true, result: { ahead: "1" } });
      for (const start of refills.splice(0)) start();
    }
    expect(plans).toBe(3);
    await execute(counted, "{}\n", { ...options, callId: "c4" });
    expect(plans).toBe(4);
  });

  test.each([
    [maxPlanAgeMs - 1, 1],
    [maxPlanAgeMs, 2],
  ])("that is %i ms old at the call has been made %i times", async (ageMs, count) => {
    const { counted, options } = await sandboxed();
    vi.useFakeTimers({ toFake: ["performance"] });
    const ahead = startAhead(counted, options);
    vi.advanceTimersByTime(ageMs);
    const { envelope } = await callPrepared(counted, "{}\n", { ...options, ahead });
    expect(envelope).toEqual({ tool_success: true, result: { ahead: "1" } });
    expect(plans).toBe(count);
  });

  test("is made again if circumstances differ from those the process was started in", async () => {
    const { counted, options } = await sandboxed();
    const ahead = startAhead(counted, options);
    const sandbox = options.sandbox && { ...options.sandbox, hidden: [options.cwd] };
    const { envelope } = await callPrepared(counted, "{}\n", { ...options, sandbox, ahead });
    expect(envelope).not.toMatchObject({ result: { ahead: "1" } });
    expect(plans).toBe(2);
  });
});
