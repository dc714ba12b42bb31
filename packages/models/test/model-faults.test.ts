// Promise 7 of SECURITY.md.
// @module-tag sampled
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { begin, modelServer, status, stream } from "../../agent/test/model-server.ts";
import { hear, modelOf, providers, secret } from "../../agent/test/providers.ts";
import { toWire } from "../../agent/test/wire-formats.ts";
import { ModelError } from "../src/errors.ts";
import { resolveModel } from "../src/resolve-model.ts";

const impatient = { firstByteTimeoutMs: 1_000, idleTimeoutMs: 1_000 };

describe.each(providers)("$name", (provider) => {
  test.each([
    [401, "unauthorized", false],
    [403, "unauthorized", false],
    [400, "bad_request", false],
    [408, "unavailable", true],
    [409, "unavailable", true],
    [413, "request_too_large", false],
    [429, "rate_limited", true],
    [500, "unavailable", true],
    [503, "unavailable", true],
    [529, "unavailable", true],
  ] as const)("%i is %s", async (code, expected, retryable) => {
    const body = { type: "error", error: { type: "x", message: `no, ${secret} will not do`, code: 1, status: "X" } };
    const server = await modelServer(status(code, body));
    const { error } = await hear(await modelOf(provider, server.url));
    expect({ code: error?.code, retryable: error?.retryable, status: error?.status }).toEqual({
      code: expected,
      retryable,
      status: code,
    });
    expect(error?.message).not.toContain(secret);
    expect(server.requests).toHaveLength(1);
  });

  test("names the variable of a rejected key", async () => {
    const server = await modelServer(status(401, { error: { message: "bad key", type: "authentication_error" } }));
    expect((await hear(await modelOf(provider, server.url))).error?.message).toContain(provider.key);
  });

  test.each([
    { error: { message: "the rack is on fire", type: "custom" } },
    { error: "the rack is on fire" },
    { detail: "the rack is on fire" },
    [{ error: { message: "the rack is on fire" } }],
  ])("shows the server's message in any form: %j", async (body) => {
    const server = await modelServer(status(400, body));
    expect((await hear(await modelOf(provider, server.url))).error?.message).toContain("the rack is on fire");
  });

  test.skipIf(provider.name === "openai-compatible")("names the variable of a missing key", async () => {
    const wanted = resolveModel({ config: {}, env: {}, wanted: `${provider.name}/m` });
    await expect(wanted).rejects.toThrow(provider.key);
  });

  test("reports a response without its end as an error, and keeps its text", async () => {
    const events = toWire(provider.path, { text: "Hello there" }).length;
    const cut = provider.name === "openai-compatible" ? 3 : 1;
    const server = await modelServer(begin({ text: "Hello there" }, events - cut, (response) => response.end()));
    const { error, text } = await hear(await modelOf(provider, server.url));
    expect({ code: error?.code, retryable: error?.retryable, text }).toEqual({
      code: "bad_stream",
      retryable: true,
      text: "Hello there",
    });
  });

  test("reports a connection that is reset as an error", async () => {
    const server = await modelServer(
      begin({ text: "Hello there" }, 3, (response) => setTimeout(20).then(() => response.destroy())),
    );
    const { error } = await hear(await modelOf(provider, server.url));
    expect({ code: error?.code, retryable: error?.retryable }).toEqual({ code: "network", retryable: true });
  });

  test.each(["data: {broken\n\n", "<h1>Bad gateway</h1>\n\n"])(
    "reports the line %j in a stream as an error",
    async (line) => {
      const server = await modelServer((response, { path }) => {
        const [first = "", ...rest] = toWire(path, { text: "Hello there" });
        stream(response, [first, line, ...rest]);
      });
      const { error } = await hear(await modelOf(provider, server.url));
      expect(error?.code).toBe("bad_stream");
    },
  );

  test.each([
    ["a web page", 200, "text/html", "<html>"],
    ["a web page without a type", 200, "text/event-stream", "<html></html>\n"],
    ["nothing", 200, "text/event-stream", ""],
    ["no content", 204, "text/event-stream", ""],
    ["plain JSON", 200, "application/json", '{"id": 1}\n'],
    ["plain JSON without a line end", 200, "application/json", '{"error": "no such model"}'],
  ])("rejects %s as not a model's response, without a retry", async (_, code, type, body) => {
    const server = await modelServer((response) => {
      response.writeHead(code, { "content-type": type });
      response.end(body);
    });
    const { error } = await hear(await modelOf(provider, server.url));
    expect({ code: error?.code, retryable: error?.retryable }).toEqual({ code: "not_a_model", retryable: false });
  });

  test("gives up on a server that does not respond", async () => {
    const server = await modelServer(() => {});
    const { error } = await hear(await modelOf(provider, server.url, impatient));
    expect({ code: error?.code, retryable: error?.retryable }).toEqual({ code: "timeout", retryable: true });
  });

  test("counts pings if the user configures it", async () => {
    const server = await modelServer(
      begin({ text: "Hello there" }, 3, async (response) => {
        for (let n = 0; n < 8; n++) {
          response.write(": ping\n\n");
          await setTimeout(200);
        }
        response.end(toWire(provider.path, { text: "Hello there" }).slice(3).join(""));
      }),
    );
    const silent = await hear(await modelOf(provider, server.url, impatient));
    const heard = await hear(await modelOf(provider, server.url, { ...impatient, pingsCount: true }));
    expect({ silent: silent.error?.code, heard: heard.error, text: heard.text }).toEqual({
      silent: "timeout",
      heard: undefined,
      text: "Hello there",
    });
  });

  test("does not follow a redirect", async () => {
    const other = await modelServer({ text: "ok" });
    const server = await modelServer((response) => response.writeHead(302, { location: `${other.url}/x` }).end());
    const { error } = await hear(await modelOf(provider, server.url));
    expect(error?.code).toBe("not_a_model");
    expect(error?.message).toContain(other.url);
    expect(other.requests).toEqual([]);
  });

  test("fails immediately on a refused connection, with a question", async () => {
    const { error } = await hear(await modelOf(provider, "http://127.0.0.1:9"));
    expect({ code: error?.code, retryable: error?.retryable }).toEqual({ code: "network", retryable: false });
    expect(error?.message).toContain("Is the server running?");
  });

  test("gives up on an event without end", async () => {
    const server = await modelServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: ");
      const megabyte = Buffer.alloc(1_048_576, "x");
      const more = () => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on("drain", more);
      response.on("error", () => {});
      more();
    });
    const { error } = await hear(await modelOf(provider, server.url));
    expect(error?.message).toContain("an event of more than");
  });

  test("stops when the user does", async () => {
    const server = await modelServer(begin({ text: "Hello there" }, 3, () => {}));
    const model = await modelOf(provider, server.url);
    const controller = new AbortController();
    void setTimeout(100).then(() => controller.abort());
    await expect(hear(model, { signal: controller.signal })).rejects.not.toBeInstanceOf(ModelError);
  });
});

test.each([
  ["in seconds", () => "1", 1_000],
  ["longer than the limit", () => "600", 600_000],
  ["as a date", () => new Date(Date.now() + 5_000).toUTCString(), 5_000],
])("reads retry-after %s", async (_, valueNow, expected) => {
  const value = valueNow();
  const server = await modelServer(status(429, { error: { message: "slow down" } }, { "retry-after": value }));
  const { error } = await hear(await modelOf(providers[0], server.url));
  expect(Math.abs((error?.retryAfterMs ?? -1) - expected)).toBeLessThan(2_000);
});

test.each([
  [providers[0], { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
  [
    providers[1],
    { type: "error", sequence_number: 0, error: { type: "server_error", code: "server_error", message: "Overloaded" } },
  ],
  [providers[2], { error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }],
  [providers[3], { error: { message: "Overloaded", type: "overloaded_error", code: 503 } }],
])("retries an overload in the stream of $name", async (provider, data) => {
  for (const events of [0, 3]) {
    const server = await modelServer((response, { path }) => {
      const said = toWire(path, { text: "Hello there" }).slice(0, events);
      stream(response, [...said, `event: error\ndata: ${JSON.stringify(data)}\n\n`]);
    });
    const { error } = await hear(await modelOf(provider, server.url));
    expect({ retryable: error?.retryable, message: error?.message }).toEqual({
      retryable: true,
      message: expect.stringContaining("Overloaded"),
    });
  }
});

test("names a host that does not exist", async () => {
  const { error } = await hear(await modelOf(providers[0], "http://no-such-host.invalid"));
  expect(error?.code).toBe("network");
  expect(error?.message).toContain("no-such-host.invalid");
});

test("says how to start Ollama when it refuses", async () => {
  const host = "127.0.0.1:9";
  const model = await resolveModel({ config: {}, env: { OLLAMA_HOST: host }, wanted: "ollama/m" });
  const expected = `Ollama at ${host} refused the connection (ECONNREFUSED). To start it: ollama serve`;
  expect((await hear(model)).error?.message).toBe(expected);
});

test("says that a response broke off that ends between two events", async () => {
  const server = await modelServer((response) => {
    const event = { choices: [{ index: 0, delta: { role: "assistant", content: "Hel" }, finish_reason: null }] };
    stream(response, [`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`]);
  });
  const compatible = providers.find(({ name }) => name === "openai-compatible") ?? providers[0];
  const { error } = await hear(await modelOf(compatible, server.url));
  expect(error).toMatchObject({ code: "bad_stream", message: expect.stringContaining("broke off"), retryable: true });
});

test("says that an event stream without an event but its end is empty", async () => {
  const server = await modelServer((response) => stream(response, ["data: [DONE]\n\n"]));
  const compatible = providers.find(({ name }) => name === "openai-compatible") ?? providers[0];
  const { error } = await hear(await modelOf(compatible, server.url));
  expect(error).toMatchObject({
    code: "bad_stream",
    message: expect.stringMatching(/^The server at \S+ sent an empty answer\.$/),
    retryable: true,
  });
});
