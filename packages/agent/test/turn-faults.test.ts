import { readFileSync } from "node:fs";
import type { Model, ModelEvent } from "@ikigai/models";
import { expect, test } from "vitest";
import { agent, noticesIn, unansweredIn } from "./agent-setup.ts";
import { begin, modelServer, status } from "./model-server.ts";
import { modelOf, providers, secret } from "./providers.ts";

const [anthropic] = providers;
const overloaded = status(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
const broken = begin({ text: "Hello there" }, 3, (response) => response.end());

test("retries an overloaded server, and reports each wait", async () => {
  const one = await agent({});
  const server = await modelServer(overloaded, overloaded, { text: "Hello" });
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, end.text, server.requests.length]).toEqual(["done", "Hello", 3]);
  expect(noticesIn(events)).toEqual([
    expect.stringMatching(/Overloaded\. Retrying in 0\.0 s \(1 of 2\)\./),
    expect.stringMatching(/\(2 of 2\)/),
  ]);
});

test("gives up after the last retry, keeps the user's message, and the next turn works", async () => {
  const one = await agent({});
  const server = await modelServer(overloaded, overloaded, overloaded, { text: "Hello" });
  const model = await modelOf(anthropic, server.url);
  const { end } = await one.say(model, "go");
  expect(end).toMatchObject({
    reason: "failed",
    error: { code: "unavailable", message: expect.stringContaining("tried 3 times") },
  });
  expect(server.requests).toHaveLength(3);
  expect(one.conversation.messages).toEqual([{ role: "user", text: "go" }]);
  expect((await one.say(model, "go on")).end.text).toBe("Hello");
});

test("continues without a tool whose schema the provider rejects, and names its file once", async () => {
  const one = await agent({ weather: "echo '{}'" });
  const message = "tools.0.custom.input_schema: JSON schema is invalid.";
  const rejection = status(400, { type: "error", error: { type: "invalid_request_error", message } });
  const server = await modelServer(rejection, { text: "Hello" }, { text: "Again" });
  const model = await modelOf(anthropic, server.url);
  const { end, events } = await one.say(model, "go");
  const path = one.registry.tools[0]?.path;
  expect(path).toMatch(/weather-tool$/);
  expect(end.text).toBe("Hello");
  const notice = `Anthropic rejected the request (400): ${message} Continuing without the tool weather. Correct its schema in ${path}, or remove the file. To check it: ikigai tool check weather`;
  expect(events.filter(({ type }) => type === "notice")).toEqual([{ type: "notice", text: notice }]);
  const next = await one.say(model, "go on");
  expect([next.end.text, next.events.some(({ type }) => type === "notice")]).toEqual(["Again", false]);
  const sent = server.requests.map(({ body }) => JSON.stringify(body).includes('"weather"'));
  expect(sent).toEqual([true, false, false]);
});

test("retries a response that broke off once, and completes it", async () => {
  const one = await agent({});
  const server = await modelServer(broken, { text: "Hello there" });
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, end.text]).toEqual(["done", "Hello there"]);
  expect(events.map(({ type }) => type)).toEqual([
    "user",
    "text",
    "step_end",
    "notice",
    "text",
    "text",
    "step_end",
    "turn_end",
  ]);
  expect(one.conversation.messages).toHaveLength(2);
});

test("keeps and marks the partial response when it breaks off again", async () => {
  const one = await agent({});
  const server = await modelServer(broken);
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end).toMatchObject({ reason: "failed", text: "Hello", error: { code: "bad_stream" } });
  expect(noticesIn(events)).toEqual([expect.stringMatching(/Retrying in 0\.0 s \(1 of 1\)\.$/)]);
  expect(end.error?.message).toMatch(/\. Gave up: the connection broke twice\.$/);
  expect(server.requests).toHaveLength(2);
  expect(one.conversation.messages.at(-1)).toMatchObject({ role: "assistant", interrupted: true });
});

test.each([401, 400, 404])("does not retry %i", async (code) => {
  const one = await agent({});
  const server = await modelServer(status(code, { error: { message: `bad ${secret}` } }));
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, server.requests.length]).toEqual(["failed", 1]);
  expect(readFileSync(String(one.conversation.log.path), "utf8")).not.toContain(secret);
});

test("shortens a conversation that is too long once, and never resends it unchanged", async () => {
  const one = await agent({ big: `printf '{"output": "%05000d"}' 0` });
  const tooLong = status(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 300000 tokens" },
  });
  const calls = { calls: [{ id: "c", name: "big", arguments: "{}" }] };
  const server = await modelServer(calls, tooLong, { text: "ok" }, tooLong);
  const model = await modelOf(anthropic, server.url);
  const first = await one.say(model, "go");
  expect([first.end.reason, first.end.text]).toEqual(["done", "ok"]);
  expect(noticesIn(first.events)).toEqual([expect.stringContaining("moved out")]);
  expect(JSON.stringify(server.requests[2]?.body)).not.toContain("0".repeat(100));
  expect(unansweredIn(one)).toEqual([]);
  const second = await one.say(model, "more");
  expect(second.end.error?.code).toBe("context_too_long");
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(bodies.length);
});

test("ends a wait when it is stopped", async () => {
  const one = await agent({});
  const server = await modelServer(status(429, { error: { message: "slow" } }, { "retry-after": "60" }));
  const controller = new AbortController();
  const emit = ({ type }: { type: string }) => type === "notice" && controller.abort();
  const { end } = await one.say(await modelOf(anthropic, server.url), "go", { signal: controller.signal, emit });
  expect(end.reason).toBe("interrupted");
});

test("does not accumulate a million small pieces", async () => {
  const one = await agent({});
  const pieces = 1_000_000;
  const model: Model = {
    id: "x/m",
    async *stream(): AsyncGenerator<ModelEvent> {
      for (let n = 0; n < pieces; n++) yield { type: "text", text: "ab", block: "1" };
      yield {
        type: "finish",
        reason: "stop",
        usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      };
    },
  };
  let heard = 0;
  const { end } = await one.say(model, "go", { emit: ({ type }) => (heard += type === "text" ? 1 : 0) });
  expect([end.text.length, heard]).toEqual([2 * pieces, pieces]);
});

test("throws a bug in a model, and leaves a conversation that works", async () => {
  const one = await agent({ show: "cat" });
  const calls = { calls: [{ id: "c", name: "show", arguments: "{}" }] };
  const server = await modelServer(calls, { text: "ok" });
  const model = await modelOf(anthropic, server.url);
  const emit = ({ type }: { type: string }) => {
    if (type === "tool_start") throw new TypeError("a bug");
  };
  await expect(one.say(model, "go", { emit })).rejects.toThrow("a bug");
  expect(unansweredIn(one)).toEqual([]);
  expect((await one.say(model, "again")).end.reason).toBe("done");
});
