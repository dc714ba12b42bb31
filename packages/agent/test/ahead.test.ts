import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spareTools } from "@ikigai/core";
import { type Model, type ModelEvent, noUsage } from "@ikigai/models";
import { isRunning } from "@ikigai/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { registeredTool } from "../../permission/test/registered-tool.ts";
import { aheadCalls } from "../src/turn/ahead-calls.ts";
import { agent, resultsIn } from "./agent-setup.ts";

/** A tool that records its process ID when it starts, and returns it when its input has arrived. */
const noting = `echo $$ >> "$PIDS"; read -r args; printf '{"pid":%s}' $$`;

/** An agent with that tool; its schema sets `prestart`. */
async function stage() {
  const one = await agent({ note: noting });
  const [tool] = one.registry.tools;
  if (tool === undefined) throw new Error("no tool");
  const schema = { ...tool.schema, ikigai: { prestart: true } };
  const file = join(one.project, "pids");
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : []);
  const options = {
    currentRegistry: async () => ({ ...one.registry, tools: [{ ...tool, schema }] }),
    env: { ...process.env, PIDS: file },
  };
  return { one, pids, options };
}

/** Warm tool processes, ended with the test. */
function spares() {
  const places = spareTools();
  onTestFinished(places.close);
  return places;
}

/** A model that makes one complete call per request, three in all. */
function wholeModel(beforeCall: (step: number) => Promise<void>): Model {
  let steps = 0;
  return {
    id: "test/whole",
    async *stream() {
      const step = steps++;
      await beforeCall(step);
      if (step < 3) yield { type: "tool_call", id: `c${step}`, name: "note", arguments: "{}" };
      yield { type: "finish", reason: step < 3 ? "tool_calls" : "stop", usage: noUsage };
    },
  };
}

/** A model that writes a call slowly: its name, then, once the tool has started, the rest. */
function slowModel(untilStarted: () => boolean, rest: readonly ModelEvent[]): Model {
  let steps = 0;
  return {
    id: "test/slow",
    async *stream() {
      if (steps++ > 0) {
        yield { type: "text", text: "Done." };
        return yield { type: "finish", reason: "stop", usage: noUsage };
      }
      yield { type: "tool_call_start", id: "c1", name: "note" };
      while (!untilStarted()) await sleep(10);
      yield* rest;
    },
  };
}

const call: ModelEvent = { type: "tool_call", id: "c1", name: "note", arguments: "{}" };

test("starts a tool when the model names it, and passes the arguments when they are complete", async () => {
  const { one, pids, options } = await stage();
  const finish: ModelEvent = { type: "finish", reason: "tool_calls", usage: noUsage };
  const model = slowModel(() => pids().length > 0, [call, finish]);
  const { end, events } = await one.say(model, "go", options);
  expect(end).toMatchObject({ reason: "done", text: "Done." });
  const [started] = pids();
  expect(pids()).toEqual([started]);
  expect(resultsIn(events).map(({ json }) => JSON.parse(json))).toEqual([
    { tool_success: true, result: { pid: started } },
  ]);
});

test("ends a tool that was named but not called", async () => {
  const { one, pids, options } = await stage();
  const model = slowModel(() => pids().length > 0, [{ type: "finish", reason: "stop", usage: noUsage }]);
  await one.say(model, "go", options);
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
});

test("ends a tool whose call is denied, without passing its input", async () => {
  const { one, pids, options } = await stage();
  one.permission.mode = "deny";
  const finish: ModelEvent = { type: "finish", reason: "tool_calls", usage: noUsage };
  const model = slowModel(() => pids().length > 0, [call, finish]);
  const { events } = await one.say(model, "go", options);
  expect(resultsIn(events)).toMatchObject([{ envelope: { error_code: "TOOL_DENIED" } }]);
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
});

test("ends a tool when the response with its call breaks off", async () => {
  const { one, pids, options } = await stage();
  const controller = new AbortController();
  const model = slowModel(() => {
    if (pids().length > 0) controller.abort();
    return controller.signal.aborted;
  }, [call]);
  const { end } = await one.say(model, "go", { ...options, signal: controller.signal });
  expect(end.reason).toBe("interrupted");
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
});

test("keeps a called tool warm for its next call, which has its own ID in the log", async () => {
  const { one, pids, options } = await stage();
  // Each call gets the process that was started during the previous one.
  const started = async (count: number) => void (await vi.waitFor(() => expect(pids().length).toBe(count), 50_000));
  const model = wholeModel((step) => started(step === 0 ? 0 : step + 1));
  const { events } = await one.say(model, "go", { ...options, spares: spares() });
  const answered = resultsIn(events).map(({ json }) => JSON.parse(json).result.pid);
  // The first and the one that is kept for the second start at the same time, in either order.
  expect(answered.sort()).toEqual(pids().slice(0, 3).sort());
  expect(pids().length).toBe(4);
  const told = one.log().flatMap((line) => (line.type === "tool_start" ? [[line.id, line.env?.IKIGAI_CALL_ID]] : []));
  expect(told).toEqual([
    ["c0", undefined],
    ["c1", expect.stringMatching(/^ahead-\d+-\d+$/)],
    ["c2", expect.stringMatching(/^ahead-\d+-\d+$/)],
  ]);
});

test("costs one process when a stream replaces its call", async () => {
  const { one, pids, options } = await stage();
  const finish: ModelEvent = { type: "finish", reason: "stop", usage: noUsage };
  const places = spares();
  await one.say(
    slowModel(() => pids().length > 0, [finish]),
    "go",
    { ...options, spares: places },
  );
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 50_000);
  expect(pids()).toEqual([pid]);
});

test("a call that begins has the ID that it keeps, also if a server begins again", async () => {
  const { one, options } = await stage();
  let steps = 0;
  const model: Model = {
    id: "test/counting",
    async *stream() {
      if (steps++ === 2) return yield { type: "finish", reason: "stop", usage: noUsage };
      for (const id of ["call_1", "call_1", ""]) yield { type: "tool_call_start", id, name: "note" };
      for (const id of ["call_1", "call_1", ""]) yield { type: "tool_call", id, name: "note", arguments: "{}" };
      yield { type: "finish", reason: "tool_calls", usage: noUsage };
    },
  };
  const { events } = await one.say(model, "go", options);
  const idsOf = (type: string) => events.flatMap((event) => (event.type === type && "id" in event ? [event.id] : []));
  const ids = idsOf("tool_call");
  expect(ids.slice(0, 2).concat(ids.slice(3, 5))).toEqual(["call_1", "call_1_2", "call_1_3", "call_1_4"]);
  expect(idsOf("tool_call_start")).toEqual(ids);
  expect(new Set(ids).size).toBe(6);
});

test("a call that the sandbox must hold never runs without one", async () => {
  const one = await agent({});
  const options = { permission: { ...one.permission, sandboxOf: () => "on" as const }, emit: () => {} };
  const { circumstances } = aheadCalls(options, new AbortController().signal, one.conversation);
  const tool = registeredTool("bash");
  for (const place of ["reading", "working", undefined] as const)
    expect(() => circumstances("c", tool, place)).toThrow(/no sandbox/);
  expect(circumstances("c", tool, "outside").sandbox).toBeUndefined();
});
