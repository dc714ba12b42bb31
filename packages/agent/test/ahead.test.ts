import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@ikigai/testing";
import { expect, test, vi } from "vitest";
import { type Model, type ModelEvent, noUsage } from "../src/index.ts";
import { agent, resultsIn } from "./agent-setup.ts";

/** A tool that notes its process when it starts, and answers with it when its input has come. */
const noting = `echo $$ >> "$PIDS"; read -r args; printf '{"pid":%s}' $$`;

/** An agent with that tool; its schema says `prestart`. */
async function stage() {
  const one = await agent({ note: noting });
  const [tool] = one.registry.tools;
  if (tool === undefined) throw new Error("no tool");
  const schema = { ...tool.schema, ikigai: { prestart: true } };
  const file = join(one.project, "pids");
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number) : []);
  const options = {
    registry: async () => ({ ...one.registry, tools: [{ ...tool, schema }] }),
    env: { ...process.env, PIDS: file },
  };
  return { one, pids, options };
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

test("a tool starts when the model names it, and gets its arguments when they are complete", async () => {
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

test("a tool that was named and not called ends", async () => {
  const { one, pids, options } = await stage();
  const model = slowModel(() => pids().length > 0, [{ type: "finish", reason: "stop", usage: noUsage }]);
  await one.say(model, "go", options);
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5_000);
});

test("a tool whose call is refused ends without its input", async () => {
  const { one, pids, options } = await stage();
  one.permission.mode = "deny";
  const finish: ModelEvent = { type: "finish", reason: "tool_calls", usage: noUsage };
  const model = slowModel(() => pids().length > 0, [call, finish]);
  const { events } = await one.say(model, "go", options);
  expect(resultsIn(events)).toMatchObject([{ envelope: { error_code: "TOOL_DENIED" } }]);
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5_000);
});

test("a tool ends with the answer that broke off while it was being called", async () => {
  const { one, pids, options } = await stage();
  const controller = new AbortController();
  const model = slowModel(() => {
    if (pids().length > 0) controller.abort();
    return controller.signal.aborted;
  }, [call]);
  const { end } = await one.say(model, "go", { ...options, signal: controller.signal });
  expect(end.reason).toBe("interrupted");
  const [pid = 0] = pids();
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 5_000);
});
