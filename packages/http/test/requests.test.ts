// Promise 3 of SECURITY.md.
import { expect, test } from "vitest";
import { readWebUrl } from "../src/index.ts";
import { failureOf, get, httpServer, opening, rawServer } from "./servers.ts";

const mebibyte = 1_048_576;

test("sends a plain request without cookies, referrer and credentials", async () => {
  const server = await httpServer((_, response) => response.writeHead(200, { "set-cookie": "a=b" }).end("ok"));
  await get(`${server.origin}/a?b=c#d`, opening(server), { headers: { "user-agent": "test/1" } });
  await get(`${server.origin}/a`, opening(server));
  expect(server.requests.map(({ method, url, headers }) => [method, url, headers])).toEqual([
    [
      "GET",
      "/a?b=c",
      { "user-agent": "test/1", "accept-encoding": "gzip, br, deflate", host: server.host, connection: "close" },
    ],
    ["GET", "/a", { "accept-encoding": "gzip, br, deflate", host: server.host, connection: "close" }],
  ]);
});

test.each([
  ["ftp://example.com/", "ftp:"],
  ["file:///etc/passwd", "file:"],
  ["javascript:alert(1)", "javascript:"],
  ["https://user@example.com/", "user name"],
  ["https://:secret@example.com/", "password"],
  ["example.com", "invalid"],
  ["http://", "invalid"],
  ["http://a b/", "invalid"],
  ["http://1.2.3.4.5/", "invalid"],
  ["", "invalid"],
  [`https://example.com/${"é".repeat(1_014)}`, "longer"],
  [`https://example.com/${"é".repeat(400)}`, "longer"],
])("refuses the URL %s", (url, why) => {
  expect(() => readWebUrl(url)).toThrow(why);
});

test("takes a URL of 2,048 bytes, and not one of 2,049", () => {
  const start = "https://example.com/";
  expect(readWebUrl(start + "a".repeat(2_048 - start.length)).href).toHaveLength(2_048);
  expect(() => readWebUrl(start + "a".repeat(2_049 - start.length))).toThrow("longer than 2048 bytes");
});

test("reads a body of 10 MiB, and not one byte more, whether its length is announced or not", async () => {
  const server = await httpServer(({ url = "" }, response) => {
    const [, extra, length] = url.split("/");
    const body = Buffer.alloc(10 * mebibyte + Number(extra), "a");
    response.writeHead(200, length === "known" ? { "content-length": body.length } : {});
    response.end(body);
  });
  for (const kind of ["known", "unknown"]) {
    expect((await get(`${server.origin}/0/${kind}`, opening(server))).body).toHaveLength(10 * mebibyte);
    expect(await failureOf(get(`${server.origin}/1/${kind}`, opening(server)))).toMatchObject({
      code: "TOO_LARGE",
      message: "The response is larger than 10 MiB.",
    });
  }
});

test("reads 64 KiB of the body of an error", async () => {
  const server = await httpServer((_, response) => response.writeHead(500).end("x".repeat(mebibyte)));
  const { status, body } = await get(server.origin, opening(server));
  expect([status, body.length]).toEqual([500, 65_536]);
});

test("waits for headers and bodies only as long as it may", async () => {
  const limits = { totalMs: 600, firstByteMs: 200 };
  const silent = await rawServer(() => {});
  const drip = await rawServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => socket.write("x-a: b\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const slow = await httpServer((_, response) => {
    const timer = setInterval(() => response.write("a"), 50);
    response.on("close", () => clearInterval(timer));
  });
  for (const server of [silent, drip])
    expect(await failureOf(get(server.origin, opening(server), { limits }))).toMatchObject({
      code: "TIMEOUT",
      message: `${server.host} did not respond within 0.2 s.`,
    });
  const startMs = performance.now();
  expect(await failureOf(get(slow.origin, opening(slow), { limits }))).toMatchObject({
    code: "TIMEOUT",
    message: "The response was not complete within 0.6 s.",
  });
  expect(performance.now() - startMs).toBeLessThan(5_000);
  const late = await httpServer((_, response) => void setTimeout(() => response.end("ok"), 100));
  expect((await get(late.origin, opening(late), { limits: { totalMs: 8_000, firstByteMs: 6_000 } })).status).toBe(200);
});

test("counts the time of all redirects together", async () => {
  const server = await httpServer((_, response) => {
    setTimeout(() => response.writeHead(302, { location: "/" }).end(), 150);
  });
  const limits = { totalMs: 400, redirects: 100 };
  expect(await failureOf(get(server.origin, opening(server), { limits }))).toMatchObject({ code: "TIMEOUT" });
});

test("closes the connection when it gives up", async () => {
  let close: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const server = await rawServer((socket) => {
    socket.once("close", close);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const timer = setInterval(() => socket.write(Buffer.alloc(65_536)), 1);
    socket.on("close", () => clearInterval(timer));
  });
  const failed = failureOf(get(server.origin, opening(server), { limits: { bodyBytes: mebibyte } }));
  expect(await failed).toMatchObject({ code: "TOO_LARGE", message: "The response is larger than 1 MiB." });
  await closed;
});

test.each([
  ["headers that never end", "HTTP/1.1 200 OK\r\n", "x-a: b\r\n", "longer than 16 KiB"],
  ["a status that is no number", "HTTP/1.1 abc OK\r\n\r\n", "", "valid HTTP"],
  ["something else", "SSH-2.0-OpenSSH_9.2\r\n", "", "valid HTTP"],
  [
    "a body shorter than announced",
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab",
    "",
    "before the response was complete",
  ],
  [
    "chunks that break off",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "",
    "before the response was complete",
  ],
  ["invalid chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab", "", "127.0.0.1"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "", "valid HTTP"],
  ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab", "", "valid HTTP"],
  ["nothing", "", "", "Cannot connect"],
])("survives a server that sends %s", async (_, start, flood, why) => {
  const server = await rawServer((socket) => {
    socket.write(start);
    if (flood === "") return void socket.end();
    socket.write(flood.repeat(10_000));
    return undefined;
  });
  const failed = await failureOf(get(server.origin, opening(server)));
  expect([failed.code, failed.message]).toEqual(["CONNECT_FAILED", expect.stringContaining(why)]);
});

test("reads as much as was announced when more arrives", async () => {
  const server = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef"));
  expect((await get(server.origin, opening(server))).body.toString()).toBe("ab");
});

test("survives informational responses without end, and a change of protocol", async () => {
  const server = await rawServer((socket) => {
    const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 5);
    socket.on("close", () => clearInterval(timer));
  });
  const limits = { firstByteMs: 200 };
  expect(await failureOf(get(server.origin, opening(server), { limits }))).toMatchObject({ code: "TIMEOUT" });
  const upgrading = await rawServer((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
  );
  const { code } = await failureOf(get(upgrading.origin, opening(upgrading), { limits }));
  expect(code).toMatch(/^(?:CONNECT_FAILED|TIMEOUT)$/);
});

test("names a host that does not exist, and a port that no program listens on", async () => {
  const server = await httpServer(() => {});
  expect(await failureOf(get("http://127.0.0.1:9/", { IKIGAI_WEB_ALLOW: "127.0.0.1:9" }))).toMatchObject({
    code: "CONNECT_FAILED",
    message: expect.stringContaining("ECONNREFUSED"),
  });
  expect(await failureOf(get("http://nothing.invalid/", opening(server)))).toMatchObject({ code: "DNS_FAILED" });
});
