import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { modelServer, stream } from "../../agent/test/model-server.ts";
import { hear, modelOf, providers } from "../../agent/test/providers.ts";
import { toWire } from "../../agent/test/wire-formats.ts";
import type { Message } from "../src/model.ts";

const weather = {
  name: "weather",
  description: "Tells the weather",
  parameters: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
};

/** A conversation with two calls at once, one of them with broken arguments, and their results. */
const history: Message[] = [
  { role: "user", text: "Paris?" },
  {
    role: "assistant",
    model: "x/m",
    parts: [
      { type: "text", text: "I look." },
      { type: "tool_call", id: "a", name: "weather", arguments: '{"city":"Paris","n":12345678901234567890}' },
      { type: "tool_call", id: "b", name: "weather", arguments: '{"city":' },
    ],
  },
  { role: "tool", id: "a", name: "weather", json: '{"tool_success":true,"result":{"n":12345678901234567890}}' },
  { role: "tool", id: "b", name: "weather", json: '{"tool_success":false}' },
];

describe.each(providers)("$name", (provider) => {
  test("streams text and reports its usage", async () => {
    const server = await modelServer({ text: "Hello there" });
    const { text, events, error } = await hear(await modelOf(provider, server.url));
    expect({ text, error, last: events.at(-1) }).toMatchObject({
      text: "Hello there",
      error: undefined,
      last: { type: "finish", reason: "stop", usage: { outputTokens: 5 } },
    });
    expect(server.requests[0]?.path).toBe(provider.path);
  });

  test("announces two calls and passes their arguments", async () => {
    const calls = ["Paris", "Rome"].map((city, n) => ({
      id: `c${n}`,
      name: "weather",
      arguments: JSON.stringify({ city }),
    }));
    const server = await modelServer({ text: "I look.", calls });
    const { events } = await hear(await modelOf(provider, server.url), { tools: [weather] });
    const starts = events.flatMap((event) => (event.type === "tool_call_start" ? [event.name] : []));
    const made = events.flatMap((event) => (event.type === "tool_call" ? [event.arguments] : []));
    expect({ starts, made }).toEqual({ starts: ["weather", "weather"], made: calls.map((call) => call.arguments) });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
  });

  test("returns results byte for byte", async () => {
    const server = await modelServer({ text: "Sunny." });
    const { error } = await hear(await modelOf(provider, server.url), { messages: history, tools: [weather] });
    expect(error).toBeUndefined();
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain(JSON.stringify(history[2]?.role === "tool" && history[2].json));
    expect(body).toContain("invalid_arguments");
  });

  test("accepts a base URL with and without its version path", async () => {
    const server = await modelServer({ text: "ok" });
    const version = provider.path.split("/")[1];
    for (const url of [server.url, `${server.url}/`, `${server.url}/${version}`, `${server.url}/${version}/`]) {
      expect((await hear(await modelOf(provider, url))).text).toBe("ok");
    }
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set([provider.path]));
  });

  test("keeps the connection for the next request", async () => {
    const ports = new Set<unknown>();
    const server = await modelServer((response, { path }) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(toWireText(path));
    });
    const model = await modelOf(provider, server.url);
    for (let n = 0; n < 3; n++) {
      await hear(model);
      // What follows the last event is read in the meantime, in one of the next turns of the event loop.
      for (let turn = 0; turn < 10; turn++) await setTimeout(5);
    }
    expect(ports.size).toBe(1);
  });
});

function toWireText(path: string): string {
  return toWire(path, { text: "ok" }).join("");
}

test("marks for Anthropic what to cache", async () => {
  const server = await modelServer({ text: "ok" });
  await hear(await modelOf(providers[0], server.url), { messages: history });
  const { system, messages } = server.requests[0]?.body ?? {};
  expect(system?.[0]?.cache_control).toEqual({ type: "ephemeral" });
  expect(messages?.at(-1)?.content.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
});

test("returns Anthropic's signed reasoning", async () => {
  const server = await modelServer({ reasoning: "Hm.", text: "ok" });
  const model = await modelOf(providers[0], server.url);
  const { events } = await hear(model);
  expect(events).toContainEqual({
    type: "metadata",
    block: "reasoning 0",
    metadata: { anthropic: { signature: "signed" } },
  });
  const part = { type: "reasoning" as const, text: "Hm.", metadata: { anthropic: { signature: "signed" } } };
  const text = { type: "text" as const, text: "ok" };
  await hear(model, {
    messages: [
      { role: "user", text: "a" },
      { role: "assistant", model: "anthropic/m", parts: [part, text] },
      { role: "user", text: "b" },
    ],
  });
  expect(server.requests[1]?.body.messages?.[1]?.content[0]).toEqual({
    type: "thinking",
    thinking: "Hm.",
    signature: "signed",
  });
});

test("asks OpenAI to store nothing", async () => {
  const server = await modelServer({ text: "ok" });
  await hear(await modelOf(providers[1], server.url), { tools: [weather] });
  expect(server.requests[0]?.body).toMatchObject({ store: false, prompt_cache_key: "s1", tools: [{ strict: false }] });
});

test("uses the chat API of a server that is configured as openai and has no other", async () => {
  const server = await modelServer((response, { path }) => {
    if (path === "/v1/chat/completions") return stream(response, toWire(path, { text: "ok" }));
    response.writeHead(404).end();
  });
  const model = await modelOf(providers[1], server.url);
  expect((await hear(model)).text).toBe("ok");
  expect((await hear(model)).text).toBe("ok");
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/chat/completions",
  ]);
});

test("finds a compatible server that has no version path", async () => {
  const server = await modelServer((response, { path }) => {
    if (path === "/api/chat/completions") return stream(response, toWire(path, { text: "ok" }));
    response.writeHead(404).end("not found");
  });
  expect((await hear(await modelOf(providers[3], `${server.url}/api`))).text).toBe("ok");
});

test("converts another provider's IDs for Anthropic", async () => {
  const server = await modelServer({ text: "ok" });
  const id = "functions.weather:0";
  const messages: Message[] = [
    { role: "user", text: "a" },
    { role: "assistant", model: "x/m", parts: [{ type: "tool_call", id, name: "weather", arguments: "{}" }] },
    { role: "tool", id, name: "weather", json: "{}" },
  ];
  await hear(await modelOf(providers[0], server.url), { messages });
  const sent = server.requests[0]?.body.messages;
  expect([sent?.[1]?.content[0]?.id, sent?.[2]?.content[0]?.tool_use_id]).toEqual([
    expect.stringMatching(/^\w{24}$/),
    sent?.[1]?.content[0]?.id,
  ]);
});
