// @module-tag tables
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Model, noUsage } from "@ikigai/models";
import { describe, expect, test } from "vitest";
import { agent, noticesIn, resultsIn, unansweredIn } from "./agent-setup.ts";
import { modelServer, type Reply, stream } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";
import { type ScriptedAnswer, toWire } from "./wire-formats.ts";

const wipe = ": > ran; cat";
const code = (json: string) => (JSON.parse(json) as { error_code?: string }).error_code;

type Finish = NonNullable<ScriptedAnswer["finish"]>;

/** A call of which only the name arrived: neither its arguments nor, if the format has one, its end. */
const onlyTheName =
  (finish: Finish): Reply =>
  (response, { path }) => {
    const calls = [{ id: "c", name: "wipe", arguments: '{"n":1}' }];
    const events = toWire(path, { calls, finish }).filter(
      (event) => !/input_json_delta|content_block_stop|arguments\.delta|output_item\.done/.test(event),
    );
    stream(
      response,
      events.flatMap((event) => {
        if (event.includes('"arguments":"1}"') || event.includes('"arguments":":1}"')) return [];
        return event.replace(/"arguments":"[^}]*?"(?=\})/, '"arguments":""').replace('"args":{"n":1}', '"args":{}');
      }),
    );
  };

describe.each(providers)("with $name", (provider) => {
  const ends = ["length", "other", "content_filter"] as const;
  const shapes = ["", "{}", "{ }", '{"n": 1}'] as const;

  test.each(ends.flatMap((finish) => shapes.map((args) => [finish, args] as const)))(
    "a response that ends with %s runs no call with the arguments %j",
    async (finish, args) => {
      const one = await agent({ wipe });
      const server = await modelServer({ calls: [{ id: "c", name: "wipe", arguments: args }], finish }, { text: "ok" });
      const { end, events } = await one.say(await modelOf(provider, server.url), "go");
      expect(resultsIn(events).map(({ json }) => code(json))).toEqual(["INVALID_PARAMS"]);
      expect(existsSync(join(one.project, "ran"))).toBe(false);
      expect(unansweredIn(one)).toEqual([]);
      if (finish === "content_filter") {
        expect(end).toMatchObject({ reason: "failed", error: { code: "content_filter" } });
        expect(server.requests).toHaveLength(1);
      } else {
        expect(end).toMatchObject({ reason: "done", text: "ok" });
        expect(noticesIn(events)).toEqual([expect.stringMatching(/incomplete/)]);
      }
    },
  );

  test.each(ends)("does not run a call of which only the name arrived, finish %s", async (finish) => {
    const one = await agent({ wipe });
    const server = await modelServer(onlyTheName(finish), { text: "ok" });
    const { events } = await one.say(await modelOf(provider, server.url), "go");
    expect(resultsIn(events).map(({ json }) => code(json))).toEqual(["INVALID_PARAMS"]);
    expect(existsSync(join(one.project, "ran"))).toBe(false);
  });

  test("runs complete calls before the last one at the limit, and none of a filtered response", async () => {
    const one = await agent({ wipe, note: ": > noted; cat" });
    const calls = [
      { id: "a", name: "note", arguments: '{"n":1}' },
      { id: "b", name: "wipe", arguments: '{"n":2}' },
    ];
    const server = await modelServer({ calls, finish: "length" }, { calls, finish: "content_filter" });
    const { events } = await one.say(await modelOf(provider, server.url), "go");
    expect(resultsIn(events).map(({ json }) => code(json))).toEqual([
      ...["INVALID_PARAMS", undefined].sort(),
      "INVALID_PARAMS",
      "INVALID_PARAMS",
    ]);
    expect([existsSync(join(one.project, "noted")), existsSync(join(one.project, "ran"))]).toEqual([true, false]);
  });

  test.each(["length", "other"] as const)("a text response that ends with %s fails the turn", async (finish) => {
    const one = await agent({});
    const server = await modelServer({ text: "half", finish });
    const { end } = await one.say(await modelOf(provider, server.url), "go");
    expect(end).toMatchObject({ reason: "failed", text: "half", error: { code: "cut_off" } });
    expect(server.requests).toHaveLength(1);
  });
});

test("reports Anthropic's paused response as incomplete", async () => {
  const [anthropic] = providers;
  const one = await agent({});
  const server = await modelServer((response, { path }) => {
    const events = toWire(path, { text: "half" }).map((event) => event.replace("end_turn", "pause_turn"));
    stream(response, events);
  });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end).toMatchObject({ reason: "failed", error: { code: "cut_off" } });
});

test("passes no part of a truncated call to a tool that was started ahead", async () => {
  const one = await agent({ note: ': > "started"; cat > got; : > ended; echo "{}"' });
  const [tool] = one.registry.tools;
  if (tool === undefined) throw new Error("no tool");
  const tools = [{ ...tool, schema: { ...tool.schema, ikigai: { prestart: true } } }];
  const model: Model = {
    id: "test/cut",
    async *stream({ messages }) {
      if (messages.length > 1) return yield { type: "finish", reason: "stop", usage: noUsage };
      yield { type: "tool_call_start", id: "c", name: "note" };
      while (!existsSync(join(one.project, "got"))) await sleep(10);
      yield { type: "tool_call", id: "c", name: "note", arguments: "{}" };
      yield { type: "finish", reason: "length", usage: noUsage };
    },
  };
  const { events } = await one.say(model, "go", { currentRegistry: async () => ({ ...one.registry, tools }) });
  expect(resultsIn(events).map(({ json }) => code(json))).toEqual(["INVALID_PARAMS"]);
  await sleep(300);
  expect(existsSync(join(one.project, "ended"))).toBe(false);
});
