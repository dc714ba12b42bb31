// Promise 10 of SECURITY.md.
// @module-tag sampled
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { httpPackage, inspectHttp } from "./http-package.ts";
import { httpServer, type Seen } from "./http-server.ts";

const failsWith = (status: number, body = "", headers: Record<string, string> = {}) => {
  return ({ message }: Seen, response: ServerResponse) => {
    if (message?.method !== "tools/call") return false;
    response.writeHead(status, headers).end(body);
    return true;
  };
};

describe("a remote server", () => {
  test.each(["legacy", "modern"] as const)("lists its tools, and answers calls: %s", async (era) => {
    const { url, calls, seen, posted } = await httpServer({ era });
    const { facts, tools, transport } = await inspectHttp(url);
    expect([facts.era, transport, facts.serverInfo]).toEqual([era, "http", { name: "over-http", version: "1.2.3" }]);
    expect(tools.map(({ name }) => name)).toContain("echo");
    const { call } = await httpPackage(url, { server: facts, headers: { "X-Key": "own" } });
    expect(await call("echo", { message: "grüß" })).toEqual({ output: "Echo: grüß" });
    expect(calls).toEqual(["echo"]);
    expect(posted("tools/call")[0]?.headers).toMatchObject({ "x-key": "own", "accept-encoding": "identity" });
    // Only the protocol of 2025 has sessions, and each is ended.
    expect(seen.filter(({ method }) => method === "DELETE")).toHaveLength(era === "legacy" ? 2 : 0);
  });

  test.each(["legacy", "modern"] as const)("reports progress: %s", async (era) => {
    const { url } = await httpServer({ era });
    const { facts } = await inspectHttp(url);
    using service = (await httpPackage(url, { server: facts })).service();
    await service.ready();
    const id = service.call("reports", {});
    expect(await service.next()).toEqual({ call: id, progress: { progress: 1, total: 2, message: "half" } });
    expect(await service.next()).toEqual({ call: id, answer: { output: "done" } });
  });

  test("keeps one session for the calls of a conversation", async () => {
    const { url, sessions, posted } = await httpServer();
    using service = (await httpPackage(url)).service();
    await service.ready();
    const ids = ["1", "2", "3", "4", "5", "6", "7", "8"].map((message) => service.call("echo", { message }));
    const answers = await Promise.all(ids.map(() => service.next()));
    expect(answers.map((one) => one?.call).sort()).toEqual(ids.sort());
    expect(new Set(posted("tools/call").map(({ headers }) => headers["mcp-session-id"]))).toEqual(
      new Set(sessions.keys()),
    );
    service.child.stdin.end();
    expect(await service.end).toBe(0);
    expect(sessions.size).toBe(0);
  });

  test("ends with its session, and the next start opens another one", async () => {
    const { url, sessions, calls } = await httpServer();
    const { service: start } = await httpPackage(url);
    {
      using service = start();
      await service.ready();
      sessions.clear();
      service.call("echo", { message: "lost" });
      expect(await service.next()).toBeUndefined();
      expect(await service.end).toBe(1);
      expect(service.stderr()).toContain("test: The server has ended the session.\n");
    }
    using service = start();
    await service.ready();
    const id = service.call("echo", { message: "new" });
    expect(await service.next()).toEqual({ call: id, answer: { output: "Echo: new" } });
    expect(calls).toEqual(["echo"]);
  });

  test("gets an answer over a stream that was opened again, and calls once", async () => {
    const { url, calls, seen } = await httpServer({ drops: true });
    const { call } = await httpPackage(url);
    expect(await call("drops")).toEqual({ output: "done" });
    expect(calls).toEqual(["drops"]);
    expect(seen.filter(({ method, headers }) => method === "GET" && headers["last-event-id"])).toHaveLength(1);
  });

  test("cancels a call on the server", async () => {
    const { url, posted } = await httpServer();
    using service = (await httpPackage(url)).service();
    await service.ready();
    const id = service.call("hangs", {});
    await expect.poll(() => posted("tools/call")).toHaveLength(1);
    service.cancel(id);
    expect(await service.next()).toMatchObject({ call: id, answer: { error_code: "TOOL_CANCELLED" } });
    await expect.poll(() => posted("notifications/cancelled")).toHaveLength(1);
  });

  test("cancels what is open when the host ends, then ends the session once", async () => {
    const { url, posted, seen } = await httpServer();
    using service = (await httpPackage(url)).service();
    await service.ready();
    service.call("hangs", {});
    await expect.poll(() => posted("tools/call")).toHaveLength(1);
    service.child.stdin.end();
    await service.end;
    expect(posted("notifications/cancelled")).toHaveLength(1);
    expect(seen.filter(({ method }) => method === "DELETE")).toHaveLength(1);
  });

  test("closes the stream of a call that is cancelled, in the protocol of 2026", async () => {
    let isClosed = false;
    const { url, posted } = await httpServer({
      era: "modern",
      intercept: ({ message }, response) => {
        if (message?.params?.name === "hangs") response.on("close", () => (isClosed = true));
        return false;
      },
    });
    const { facts } = await inspectHttp(url);
    using service = (await httpPackage(url, { server: facts })).service();
    await service.ready();
    const id = service.call("hangs", {});
    await expect.poll(() => posted("tools/call")).toHaveLength(1);
    service.cancel(id);
    expect(await service.next()).toMatchObject({ call: id, answer: { error_code: "TOOL_CANCELLED" } });
    await expect.poll(() => isClosed).toBe(true);
  });

  test("gives up a call that the server is too slow for, and calls once", async () => {
    const { url, calls } = await httpServer();
    const { call } = await httpPackage(url);
    const answer = await call("hangs", {}, { IKIGAI_TIMEOUT_MS: "2500" });
    expect(answer).toMatchObject({ error_code: "TOOL_TIMEOUT" });
    expect(calls).toEqual(["hangs"]);
  });

  test("passes an answer of 40 MB", async () => {
    const { url } = await httpServer();
    const { call } = await httpPackage(url);
    expect((await call("big", { bytes: 40_000_000 })).output).toHaveLength(40_000_000);
  });
});

type FailingCall = [string, ReturnType<typeof failsWith>, string, string | RegExp];

describe("a call fails, and is not sent again,", () => {
  test.each<FailingCall>([
    [
      "with HTTP 500",
      failsWith(500, "boom\nbang"),
      "MCP_REQUEST_FAILED",
      "The MCP server test failed: HTTP 500: boom bang",
    ],
    [
      "with a page",
      failsWith(502, "<html>Bad Gateway</html>"),
      "MCP_REQUEST_FAILED",
      "The MCP server test failed: HTTP 502.",
    ],
    ["when access is denied", failsWith(403, "no"), "MCP_REQUEST_FAILED", "The MCP server test failed: HTTP 403: no"],
    [
      "when the server requires a login",
      failsWith(401),
      "MISSING_CREDENTIALS",
      "The MCP server test requires a login.",
    ],
    [
      "when it needs more rights",
      failsWith(403, "", { "www-authenticate": 'Bearer error="insufficient_scope", scope="files:write"' }),
      "MISSING_CREDENTIALS",
      "The MCP server test requires a login with more rights: files:write.",
    ],
    [
      "with another content type",
      failsWith(200, "hello", { "content-type": "text/plain" }),
      "MCP_REQUEST_FAILED",
      "The MCP server test failed: It answers with neither JSON nor events. Is this the URL of an MCP server?",
    ],
    ...["null", "{", '{"id":1}'].map(
      (body): FailingCall => [
        `with ${body}`,
        failsWith(200, body, { "content-type": "application/json" }),
        "MCP_REQUEST_FAILED",
        "The MCP server test failed: It sent an invalid MCP message.",
      ],
    ),
    [
      "when the stream ends without an answer",
      failsWith(200, ": nothing\n\n", { "content-type": "text/event-stream" }),
      "MCP_REQUEST_FAILED",
      "The MCP server test answered with error -32000: The server closed the stream before it answered.",
    ],
    ...["99", '"one"', "null"].map(
      (id): FailingCall => [
        `when the answer has the id ${id}`,
        failsWith(200, `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`, { "content-type": "application/json" }),
        "MCP_REQUEST_FAILED",
        id === "null"
          ? "The MCP server test failed: It sent an invalid MCP message."
          : `The MCP server test answered with error -32000: Its answer has the id ${id} instead of 1.`,
      ],
    ),
    [
      "when an answer without an id says that the request could not be read",
      failsWith(200, '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}', {
        "content-type": "application/json",
      }),
      "MCP_REQUEST_FAILED",
      "The MCP server test answered with error -32000: Its answer has the id none instead of 1.",
    ],
    [
      "when it is redirected to another origin",
      failsWith(307, "", { location: "http://127.0.0.1:9/mcp?token=x" }),
      "MCP_REQUEST_FAILED",
      "The MCP server test failed: It redirects to http://127.0.0.1:9 (HTTP 307). If that is the right server, add it by that URL.",
    ],
    [
      "when the headers are huge",
      failsWith(200, "", { "x-huge": "x".repeat(20_000) }),
      "MCP_REQUEST_FAILED",
      /headers of the response of 127\.0\.0\.1:\d+ are longer than 16 KiB/,
    ],
    [
      "when the response is compressed",
      failsWith(200, "x", { "content-type": "application/json", "content-encoding": "gzip" }),
      "MCP_REQUEST_FAILED",
      "The MCP server test failed: The response is compressed (gzip), which ikigai did not request.",
    ],
  ])("%s", async (_, intercept, error_code, error) => {
    const { url, posted } = await httpServer({ intercept });
    const { call } = await httpPackage(url);
    const answer = await call("echo", { message: "x" });
    expect(answer).toMatchObject({
      error_code,
      error: typeof error === "string" ? error : expect.stringMatching(error),
    });
    expect(posted("tools/call")).toHaveLength(1);
    if (error_code === "MISSING_CREDENTIALS") expect(answer.help.steps).toEqual(["ikigai mcp login test"]);
  });

  test("when the connection breaks", async () => {
    const { url, posted } = await httpServer({
      intercept: ({ message }, response) => {
        if (message?.method !== "tools/call") return false;
        response.socket?.destroy();
        return true;
      },
    });
    const { call } = await httpPackage(url);
    expect((await call("echo", { message: "x" })).error).toMatch(/closed the connection \(ECONNRESET\)\.$/);
    expect(posted("tools/call")).toHaveLength(1);
  });

  test("when a response has no end", async () => {
    const { url } = await httpServer({
      intercept: ({ message }, response) => {
        if (message?.method !== "tools/call") return false;
        response.writeHead(200, { "content-type": "text/event-stream" });
        const chunk = `data: ${"x".repeat(1_048_576)}\n`;
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
        return true;
      },
    });
    const { call } = await httpPackage(url);
    expect((await call("echo", { message: "x" })).error_code).toBe("MCP_REQUEST_FAILED");
  });
});

test("follows a redirect within the server, once", async () => {
  const { url, calls, posted } = await httpServer({
    intercept: ({ path, method }, response) => {
      if (path === "/mcp/" || method === "DELETE") return false;
      response.writeHead(307, { location: "/mcp/" }).end();
      return true;
    },
  });
  const { call } = await httpPackage(url);
  expect(await call("echo", { message: "x" })).toEqual({ output: "Echo: x" });
  expect(calls).toEqual(["echo"]);
  expect(posted("tools/call").map(({ path }) => path)).toEqual(["/mcp", "/mcp/"]);
});
