// @module-tag sampled
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Message } from "@ikigai/models";
import { describe, expect, test } from "vitest";
import { type Agent, agent, noticesIn, readSessionMessages, resultsIn, unansweredIn } from "./agent-setup.ts";
import { begin, modelServer, type Reply, status, stream } from "./model-server.ts";
import { modelOf, type Provider, providers, secret } from "./providers.ts";
import { toWire } from "./wire-formats.ts";

const busy = status(503, { type: "error", error: { type: "overloaded_error", message: "Overloaded", code: 503 } });

/** How each provider reports an overload in its stream. */
const overloads: Record<Provider["name"], object> = {
  anthropic: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  openai: {
    type: "error",
    sequence_number: 9,
    error: { type: "server_error", code: "server_error", message: "Overloaded" },
  },
  google: { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } },
  "openai-compatible": { error: { message: "Overloaded", type: "overloaded_error", code: 503 } },
};

/** How each provider reports that a conversation is too long. */
const tooLong: Record<Provider["name"], object> = {
  anthropic: {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 215000 tokens > 200000 maximum" },
  },
  openai: {
    error: {
      message: "Your input exceeds the context window of this model.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  },
  google: {
    error: {
      code: 400,
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    },
  },
  "openai-compatible": {
    error: { message: "This model's maximum context length is 8192 tokens.", type: "BadRequestError", code: 400 },
  },
};

/** Checks that every call has its result, and that the log has the same conversation, except for the order of results. */
function expectSound(one: Agent): void {
  expect(unansweredIn(one)).toEqual([]);
  const sorted = (messages: readonly Message[]) => messages.map((message) => JSON.stringify(message)).sort();
  expect(sorted(readSessionMessages(one))).toEqual(sorted(one.conversation.messages));
}

/** The events of a response up to its first half, and the rest. */
function halved(path: string): { spoken: string[]; rest: string[] } {
  const events = toWire(path, { text: "Hello there" });
  const at = events.findIndex((event) => event.includes('"Hello"')) + 1;
  return { spoken: events.slice(0, at), rest: events.slice(at) };
}

/** Sends the first half of a response, and then does something else. */
const spokenThen =
  (then: (response: ServerResponse, rest: string[]) => void): Reply =>
  (response, { path }) => {
    const { spoken, rest } = halved(path);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(spoken.join(""));
    then(response, rest);
  };

const faults: [string, (provider: Provider) => Reply][] = [
  [
    "an overload",
    ({ name }) => spokenThen((response) => response.end(`event: error\ndata: ${JSON.stringify(overloads[name])}\n\n`)),
  ],
  ["the end of the connection", () => spokenThen((response) => response.end())],
  ["a reset", () => spokenThen((response) => void setTimeout(20).then(() => response.destroy()))],
  ["a line that is broken", () => spokenThen((response, rest) => response.end(`data: {broken\n\n${rest.join("")}`))],
];

describe.each(providers)("with $name", (provider) => {
  test("retries an overloaded server as often as configured, after the delay it names", async () => {
    const one = await agent({});
    const slow = status(429, { error: { message: "slow down", code: 429 } }, { "retry-after": "1" });
    const server = await modelServer(slow, busy, { text: "Hello" }, busy);
    const model = await modelOf(provider, server.url);
    const startMs = performance.now();
    const { end, events } = await one.say(model, "go");
    expect(performance.now() - startMs).toBeGreaterThan(990);
    expect([end.reason, end.text, server.requests.length]).toEqual(["done", "Hello", 3]);
    expect(noticesIn(events)).toEqual([
      expect.stringMatching(/429.* Retrying in 1\.0 s \(1 of 2\)\./),
      expect.stringMatching(/503.*\(2 of 2\)/),
    ]);
    expect((await one.say(model, "more")).end).toMatchObject({ reason: "failed", error: { code: "unavailable" } });
    expect([server.requests.length, one.conversation.messages.at(-1)]).toEqual([6, { role: "user", text: "more" }]);
  });

  test("reports a delay that is too long instead of waiting", async () => {
    const one = await agent({});
    const server = await modelServer(status(429, { error: { message: "slow" } }, { "retry-after": "600" }));
    const { end } = await one.say(await modelOf(provider, server.url), "go");
    expect(end.error?.message).toMatch(/asks to wait 10 min, longer than the limit of 2 min/);
    expect(server.requests).toHaveLength(1);
  });

  test.each(faults)(
    "%s in the middle of a response is retried once; the second time, the partial response is kept and marked",
    async (_, faultOf) => {
      const one = await agent({});
      const fault = faultOf(provider);
      const server = await modelServer(fault, { text: "Hello there" }, fault, fault, { text: "Well" });
      const model = await modelOf(provider, server.url);
      const first = await one.say(model, "go");
      expect([first.end.reason, first.end.text, server.requests.length]).toEqual(["done", "Hello there", 2]);
      const second = await one.say(model, "again");
      expect([second.end.reason, server.requests.length]).toEqual(["failed", 4]);
      expect(one.conversation.messages.at(-1)).toMatchObject({ role: "assistant", interrupted: true });
      expect((await one.say(model, "once more")).end.text).toBe("Well");
      expectSound(one);
    },
  );

  test("does not make a call of a response that broke off, and requests the response again", async () => {
    const one = await agent({ show: ": > ran; echo '{}'" });
    const calls = [{ id: "c", name: "show", arguments: '{"a": 1}' }];
    const length = toWire(provider.path, { calls }).length;
    // In the chat format, at most three events follow finish_reason, which ends a response.
    const cut = provider.name === "openai-compatible" ? 3 : 1;
    const server = await modelServer(
      begin({ calls }, length - cut, (response) => response.end()),
      { text: "ok" },
    );
    const { end, events } = await one.say(await modelOf(provider, server.url), "go");
    expect([end.text, resultsIn(events), server.requests.length]).toEqual(["ok", [], 2]);
    expectSound(one);
  });

  test("returns truncated arguments, or ones that are not an object, to the model", async () => {
    const one = await agent({ show: ": > ran; echo '{}'" });
    const isWhole = provider.name === "google";
    // Google's format cannot truncate them.
    const bad = isWhole ? ["[1]", '"text"', "42"] : ['{"a": "b', "[1]", "{'a': 1}"];
    const calls = bad.map((args, index) => ({ id: `c${index}`, name: "show", arguments: args }));
    const server = await modelServer({ calls }, { calls, finish: "length" }, { text: "ok" });
    const { end, events } = await one.say(await modelOf(provider, server.url), "go");
    const results = resultsIn(events);
    expect(results.map(({ envelope }) => !envelope.tool_success && envelope.error_code)).toEqual(
      Array(6).fill("INVALID_PARAMS"),
    );
    expect(events.map(({ type }) => type)).not.toContain("tool_start");
    if (!isWhole) expect(results[3]?.json).toContain("max tokens");
    expect([end.reason, end.text]).toEqual(["done", "ok"]);
    expectSound(one);
  });

  test("answers unknown tools, makes missing and duplicate IDs unique, and accepts missing arguments", async () => {
    const one = await agent({ show: "cat" });
    const named = (id: string, name: string) => ({ id, name, arguments: "" });
    const calls = [named("", "show"), named("same", "show"), named("same", "shwo"), named("", "nothing_like_it")];
    const server = await modelServer({ calls }, { calls }, { text: "ok" });
    const { end, events } = await one.say(await modelOf(provider, server.url), "go");
    const results = resultsIn(events);
    const told = results.map(({ json }) => json).sort();
    expect(told).toEqual([
      ...Array(2).fill(expect.stringContaining("Tool 'nothing_like_it' not found")),
      ...Array(2).fill(expect.stringContaining("Tool 'shwo' not found; the nearest name is 'show'")),
      ...Array(4).fill('{"tool_success":true,"result":{}}'),
    ]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(8);
    expect(end.text).toBe("ok");
    expectSound(one);
  });

  test("shortens a conversation that is too long once, and never resends it unchanged", async () => {
    const one = await agent({ big: `printf '{"output": "%05000d"}' 0` });
    const refusal = status(400, tooLong[provider.name]);
    const calls = [{ id: "c", name: "big", arguments: "{}" }];
    const server = await modelServer(
      { calls },
      refusal,
      { text: "ok" },
      status(413, { error: { message: "too big" } }),
    );
    const model = await modelOf(provider, server.url);
    const first = await one.say(model, "go");
    expect([first.end.reason, first.end.text]).toEqual(["done", "ok"]);
    expect((await one.say(model, "more")).end.error?.code).toBe("request_too_large");
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(new Set(bodies).size).toBe(bodies.length);
    expectSound(one);
  });

  test("shows a key that the server echoes neither to the user nor in the log", async () => {
    const one = await agent({}, {}, [secret]);
    const echo =
      (code: number): Reply =>
      (response, { headers, path }) => {
        const words = JSON.stringify({ headers, path });
        response.writeHead(code, { "content-type": "application/json", location: `/login?${secret}` });
        response.end(JSON.stringify({ error: { message: words, type: secret, code: secret }, detail: secret }));
      };
    const inStream: Reply = (response, { headers }) => {
      const data = JSON.stringify({
        ...overloads[provider.name],
        error: { message: JSON.stringify(headers), code: secret, type: secret },
      });
      stream(response, [`event: error\ndata: ${data}\n\n`]);
    };
    const page: Reply = (response, { headers }) => {
      response.writeHead(200, { "content-type": "text/html" }).end(`<html>${JSON.stringify(headers)}</html>`);
    };
    const spoken: Reply = { text: `Your key is ${secret}, is it not?` };
    const heard: unknown[] = [];
    for (const reply of [echo(400), echo(401), echo(500), echo(302), echo(407), inStream, page, spoken]) {
      const server = await modelServer(reply);
      const model = await modelOf(provider, server.url);
      const { end, events } = await one.say(model, "go", { secrets: [secret] });
      expect(JSON.stringify(server.requests[0]?.headers)).toContain(secret);
      heard.push(end.error, noticesIn(events));
    }
    expect(JSON.stringify(heard)).not.toContain(secret);
    expect(readFileSync(String(one.conversation.log.path), "utf8")).not.toContain(secret);
  });

  // One provider shows what many pieces cost; each shows that none is lost.
  const pieces = provider === providers[0] ? 20_000 : 2_000;

  test(`receives ${pieces} small pieces`, async () => {
    const one = await agent({});
    const server = await modelServer((response, { path }) => {
      const events = toWire(path, { text: "abab" });
      const at = events.findIndex((event) => event.includes('"ab"'));
      const piece = events[at] ?? "";
      stream(response, [...events.slice(0, at), piece.repeat(pieces - 1), ...events.slice(at + 1)]);
    });
    let heard = 0;
    const { end } = await one.say(await modelOf(provider, server.url), "go", {
      emit: ({ type }) => (heard += type === "text" ? 1 : 0),
    });
    expect([end.reason, end.text.length, heard >= pieces]).toEqual(["done", 2 * pieces, true]);
  });
});

test("reports a response that ends at the context limit as too long", async () => {
  const one = await agent({});
  const [anthropic] = providers;
  const server = await modelServer((response, { path }) => {
    const events = toWire(path, { text: "Hello there" });
    stream(
      response,
      events.map((event) => event.replace("end_turn", "model_context_window_exceeded")),
    );
  });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect([end.reason, end.error?.code, server.requests.length]).toEqual(["failed", "context_too_long", 1]);
});
