import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { agent, noticesIn, resultsIn } from "./agent-setup.ts";
import { modelServer, type Reply, status, stream } from "./model-server.ts";
import { hear, modelOf, type Provider, providers } from "./providers.ts";
import { toWire } from "./wire-formats.ts";

const [anthropic, , , compatible] = providers;
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

/** Events of kinds that no provider has today. */
const novelties: Record<Provider["name"], readonly object[]> = {
  anthropic: [
    { type: "vertex_event", usage: {} },
    { type: "content_block_start", index: 70, content_block: { type: "hologram", data: "x" } },
    { type: "content_block_delta", index: 70, delta: { type: "text_delta", text: "of an unknown block" } },
    { type: "content_block_delta", index: 0, delta: { type: "hologram_delta", data: "x" } },
    { type: "content_block_stop", index: 70 },
  ],
  openai: [
    { type: "response.hologram.delta", delta: "x" },
    { type: "response.output_item.added", output_index: 70, item: { type: "hologram", id: "h" } },
  ],
  google: [{ hologram: {} }, { candidates: [{ content: { role: "model", parts: [{ hologram: {} }] } }] }],
  "openai-compatible": [{ type: "hologram" }, { object: "hologram", data: "x" }],
};

describe.each(providers)("with $name", (provider) => {
  test.each(["before", "in the middle of"])("skips events of unknown kinds %s a response", async (place) => {
    const one = await agent({ show: "cat" });
    const novel = novelties[provider.name].map(event);
    const at = place === "before" ? 0 : 2;
    const with_: (answer: Parameters<typeof toWire>[1]) => Reply =
      (answer) =>
      (response, { path }) => {
        const events = toWire(path, answer);
        stream(response, [...events.slice(0, at), ...novel, ...events.slice(at)]);
      };
    const calls = [{ id: "c", name: "show", arguments: '{"n":1}' }];
    const server = await modelServer(with_({ text: "Look", calls }), with_({ text: "Hello" }));
    const { end, events } = await one.say(await modelOf(provider, server.url), "go");
    expect(end).toMatchObject({ reason: "done", text: "Hello", steps: 2 });
    expect(resultsIn(events).map(({ json }) => json)).toEqual(['{"tool_success":true,"result":{"n":1}}']);
    expect(noticesIn(events)).toEqual([]);
    const logged = one.log().filter(({ type }) => type === "skipped");
    if (provider === anthropic) {
      const kinds = { "event vertex_event": 1, "block hologram": 1, "delta hologram_delta": 1 };
      expect(logged).toMatchObject([{ kinds: { ...kinds, "part of an unknown block": 2 } }, { kinds }]);
    }
    if (provider === compatible) expect(logged).toHaveLength(2);
  });

  test("retries once what cannot be parsed, and shows no dump", async () => {
    const one = await agent({});
    const server = await modelServer((response, { path }) => {
      stream(response, ["data: {broken\n\n", ...toWire(path, { text: "Hello" })]);
    });
    const patience = { firstRetryMs: 5, maxRetries: 5 };
    const { end } = await one.say(await modelOf(provider, server.url), "go", { patience });
    expect([end.error?.code, server.requests.length]).toEqual(["bad_stream", 2]);
    expect(end.error?.message).toMatch(/sent an event that is not JSON/);
    expect(end.error?.message.length).toBeLessThan(300);
  });

  test("reads a response that is compressed without being requested", async () => {
    for (const [encoding, compress] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
    ] as const) {
      const server = await modelServer((response, { path, headers }) => {
        expect(headers["accept-encoding"]).toBe("identity");
        response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
        response.end(compress(toWire(path, { text: "Hello there" }).join("")));
      });
      expect((await hear(await modelOf(provider, server.url))).text).toBe("Hello there");
      const failing = await modelServer((response) => {
        response.writeHead(400, { "content-type": "application/json", "content-encoding": encoding });
        response.end(compress('{"error":{"message":"the rack is on fire","type":"x"}}'));
      });
      expect((await hear(await modelOf(provider, failing.url))).error?.message).toContain("the rack is on fire");
    }
  });
});

test.each([
  [anthropic, { type: "content_block_start", index: 0, content_block: { type: "tool_use", name: "show", input: {} } }],
  [
    compatible,
    {
      object: "chat.completion.chunk",
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { name: "show", arguments: {} } }] } },
      ],
    },
  ],
])("describes an incomplete call in words: $name", async (provider, data) => {
  const one = await agent({ show: ": > ran; cat" });
  const server = await modelServer((response, { path }) => {
    const [first = "", ...rest] = toWire(path, { text: "Hello" });
    stream(response, [first, event(data), ...rest]);
  });
  const { end, events } = await one.say(await modelOf(provider, server.url), "go", {
    patience: { firstRetryMs: 5, maxRetries: 5 },
  });
  expect([end.error?.code, resultsIn(events), server.requests.length]).toEqual(["bad_stream", [], 2]);
  expect(end.error?.message).toMatch(/^\S.* sent an event( of type content_block_start)? that does not follow/);
  expect(end.error?.message).not.toMatch(/[[{"]|zod|invalid_type/);
});

test.each([
  ["an undeclared encoding", {}, gzipSync("data: {}\n\n"), "compressed"],
  ["an unknown coding", { "content-encoding": "zstd" }, Buffer.from("x"), 'compressed with "zstd"'],
  ["a broken one", { "content-encoding": "gzip" }, Buffer.from("no gzip at all"), "cannot be decompressed"],
])("%s is named", async (_, headers, body, words) => {
  const server = await modelServer((response) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    response.end(body);
  });
  expect((await hear(await modelOf(anthropic, server.url))).error?.message).toContain(words);
});

test("gives time to a server that asks for an immediate retry", async () => {
  const one = await agent({});
  const server = await modelServer(status(429, { error: { message: "slow" } }, { "retry-after": "0" }));
  const startMs = performance.now();
  const patience = { firstRetryMs: 200, maxRetries: 2 };
  await one.say(await modelOf(anthropic, server.url), "go", { patience });
  expect(server.requests).toHaveLength(3);
  // At least half of 200 and half of 400.
  expect(performance.now() - startMs).toBeGreaterThan(295);
});
