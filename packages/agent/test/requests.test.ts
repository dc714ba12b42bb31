import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Message } from "@ikigai/models";
import { tailStart } from "@ikigai/session";
import fc from "fast-check";
import { expect, inject, onTestFinished, test } from "vitest";
import { agent } from "./agent-setup.ts";
import { modelServer, stream } from "./model-server.ts";
import { hear, modelOf, providers } from "./providers.ts";
import { toWire } from "./wire-formats.ts";

const [anthropic] = providers;

test("never keeps a conversation that begins with a result, which providers reject without its call", () => {
  const text = fc.integer({ min: 0, max: 400 }).map((length) => "word ".repeat(length));
  const step = fc.tuple(text, fc.array(text, { maxLength: 4 })).map(([said, results]): Message[] => [
    { role: "user", text: said },
    {
      role: "assistant",
      model: "x/m",
      parts: results.map((_, n) => ({ type: "tool_call", id: `${n}`, name: "t", arguments: "{}" })),
    },
    ...results.map((json, n): Message => ({ role: "tool", id: `${n}`, name: "t", json })),
  ]);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), fc.nat(3_000), fc.nat(6_000), (steps, maxTokens, maxLastStep) => {
      const messages = steps.flat();
      expect(messages[tailStart(messages, { maxTokens, maxLastStep })]?.role).not.toBe("tool");
    }),
    { numRuns: inject("isThorough") ? 3_000 : 300 },
  );
});

test("marks the ends of the last two turns for Anthropic's cache", async () => {
  const one = await agent({ show: "cat" });
  const calls = { calls: [{ id: "c", name: "show", arguments: '{"n":1}' }] };
  const server = await modelServer(calls, calls, calls, { text: "ok" });
  await one.say(await modelOf(anthropic, server.url), "go");
  const marks = server.requests.map(({ body }) =>
    (body.messages ?? []).map(({ content }) => content.some((part) => "cache_control" in part)),
  );
  // The user message, then assistant messages and results in turn.
  expect(marks).toEqual([
    [true],
    [true, false, true],
    [false, false, true, false, true],
    [false, false, false, false, true, false, true],
  ]);
  expect(server.requests.every(({ body }) => body.system?.some((part) => "cache_control" in part))).toBe(true);
});

/** A server that closes the connection instead of responding to some requests. */
async function rudeServer(closes: (request: number) => boolean) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (closes(requests++)) request.socket.destroy();
      else stream(response, toWire(request.url ?? "", { text: "ok" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests };
}

/** The rest after a response's end is read before its connection is reused. */
const untilFree = () => setTimeout(100);

test("replaces a kept-alive connection that was closed, without an error", async () => {
  const server = await rudeServer((request) => request === 1);
  const model = await modelOf(anthropic, server.url);
  expect((await hear(model)).text).toBe("ok");
  await untilFree();
  const { text, error } = await hear(model);
  expect([error?.message, text, server.requests()]).toEqual([undefined, "ok", 3]);
});

test("fails at once if a new connection is closed, and so does the second of two", async () => {
  const fresh = await rudeServer(() => true);
  expect((await hear(await modelOf(anthropic, fresh.url))).error?.code).toBe("network");
  expect(fresh.requests()).toBe(1);
  const server = await rudeServer((request) => request > 0);
  const model = await modelOf(anthropic, server.url);
  await hear(model);
  await untilFree();
  expect((await hear(model)).error?.code).toBe("network");
  expect(server.requests()).toBe(3);
});

test("reads 256 KiB of an endless error body and closes the connection", async () => {
  let isClosed = false;
  const server = await modelServer((response) => {
    response.writeHead(400, { "content-type": "text/plain" });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
    };
    response.on("drain", more).on("error", () => {});
    response.on("close", () => {
      isClosed = true;
    });
    more();
  });
  const { error } = await hear(await modelOf(anthropic, server.url));
  expect([error?.code, (error?.message.length ?? 0) < 2_000]).toEqual(["bad_request", true]);
  await expect.poll(() => isClosed).toBe(true);
});
