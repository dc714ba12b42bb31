// Promise 3 of SECURITY.md.
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, get, httpServer, opening, rawServer } from "./servers.ts";

/** A proxy that leads every host to one port. `asked` has the first line of each request. */
async function proxyTo(port: number, refusal?: number): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ method, url = "", headers }, response) => {
    asked.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"} ${headers.host}`);
    if (refusal !== undefined) return void response.writeHead(refusal).end("refused");
    const { pathname } = new URL(url);
    httpRequest({ port, host: "127.0.0.1", path: pathname }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
    return undefined;
  });
  server.on("connect", ({ url = "", headers }, socket) => {
    asked.push(`CONNECT ${url} ${headers["proxy-authorization"] ?? "-"} ${headers.host}`);
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    return socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test.each(["HTTP_PROXY", "http_proxy"])(
  "sends a request for http to the proxy in %s, which resolves the name",
  async (name) => {
    const server = await httpServer((_, response) => response.end("from the server"));
    const proxy = await proxyTo(server.port);
    const env = { [name]: proxy.origin.replace("//", "//me:p%40ss@") };
    expect((await get("http://nothing.invalid/a", env)).body.toString()).toBe("from the server");
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(proxy.asked).toEqual([`GET http://nothing.invalid/a ${authorization} nothing.invalid`]);
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  },
);

test.each(["HTTPS_PROXY", "https_proxy"])("asks the proxy in %s for a tunnel for https", async (name) => {
  const server = await httpServer(() => {});
  const proxy = await proxyTo(server.port);
  // The server does not speak TLS: what matters is that the tunnel is used, and nothing else.
  const failed = await failureOf(get("https://nothing.invalid/a", { [name]: proxy.origin }));
  expect([failed.code, proxy.asked]).toEqual(["TLS_FAILED", ["CONNECT nothing.invalid:443 - nothing.invalid:443"]]);
});

test.each(["NO_PROXY", "no_proxy"])("connects directly to a host in %s, and then checks the address", async (name) => {
  const server = await httpServer((_, response) => response.end("ok"));
  const proxy = await proxyTo(server.port);
  const env = { HTTP_PROXY: proxy.origin, [name]: "nothing.invalid,10.0.0.1" };
  expect(await failureOf(get("http://nothing.invalid/", env))).toMatchObject({ code: "DNS_FAILED" });
  expect(await failureOf(get("http://10.0.0.1/", env))).toMatchObject({ code: "BLOCKED_ADDRESS" });
  expect((await get(server.origin, { ...env, ...opening(server) })).body.toString()).toBe("ok");
  expect(proxy.asked).toEqual([]);
});

test("asks the proxy for a name that begins like a loopback address", async () => {
  const server = await httpServer((_, response) => response.end("from the server"));
  const proxy = await proxyTo(server.port);
  for (const host of ["127.example.invalid", "127.0.0.1.invalid", "127.0.0.x1.invalid"])
    expect((await get(`http://${host}/`, { HTTP_PROXY: proxy.origin })).body.toString()).toBe("from the server");
  expect(proxy.asked).toHaveLength(3);
  expect((await get(server.origin, { HTTP_PROXY: proxy.origin, ...opening(server) })).body.toString()).toBe(
    "from the server",
  );
  expect(proxy.asked).toHaveLength(3);
});

test("checks each redirect behind the proxy", async () => {
  const server = await httpServer((_, response) =>
    response.writeHead(302, { location: "http://printer.local/" }).end(),
  );
  const proxy = await proxyTo(server.port);
  const env = { HTTP_PROXY: proxy.origin };
  expect(await failureOf(get("http://a.invalid/", env))).toMatchObject({ code: "REDIRECT_TO_OTHER_HOST" });
  expect(await failureOf(get("http://www.printer.local/", env))).toMatchObject({ code: "BLOCKED_ADDRESS" });
  expect(proxy.asked).toHaveLength(1);
});

test.each([
  [407, "rejected the user name or password in its URL (407)"],
  [403, "refused the connection (403)"],
])("says that the proxy refuses a tunnel with %i, without its password", async (status, why) => {
  const proxy = await proxyTo(1, status);
  const env = { HTTPS_PROXY: proxy.origin.replace("//", "//me:secret@") };
  const { code, message } = await failureOf(get("https://a.invalid/", env));
  expect([code, message]).toEqual(["CONNECT_FAILED", expect.stringContaining(why)]);
  expect(message).not.toContain("secret");
});

test.each([
  ["https", "Cannot reach the proxy ADDRESS: "],
  ["http", "The proxy ADDRESS closed the connection"],
])(
  "%s: names a proxy that cannot be reached, is silent, closes the connection, or is no URL",
  async (scheme, closed) => {
    const closing = await rawServer((socket) => socket.end());
    const silent = await rawServer(() => {});
    const name = `${scheme.toUpperCase()}_PROXY`;
    for (const [proxy, code, why] of [
      ["http://127.0.0.1:9", "CONNECT_FAILED", "Cannot reach the proxy ADDRESS"],
      [closing.origin, "CONNECT_FAILED", closed],
      [silent.origin, "TIMEOUT", "did not respond"],
      ["socks5://127.0.0.1:9", "CONNECT_FAILED", `Expected ${name} to be a URL`],
    ] as const) {
      const limits = { firstByteMs: code === "TIMEOUT" ? 300 : 30_000 };
      const failed = await failureOf(get(`${scheme}://a.invalid/`, { [name]: proxy }, { limits }));
      const text = why.replace("ADDRESS", new URL(proxy).host);
      expect([failed.code, failed.message]).toEqual([code, expect.stringContaining(text)]);
    }
  },
);

test("says that a response for http may be the proxy's, and that the proxy wants a password", async () => {
  const failing = await proxyTo(1, 500);
  const { status, proxy } = await get("http://a.invalid/", { HTTP_PROXY: failing.origin });
  expect([status, proxy]).toEqual([500, new URL(failing.origin).host]);
  const locked = await proxyTo(1, 407);
  const failed = await failureOf(get("http://a.invalid/", { HTTP_PROXY: locked.origin }));
  expect([failed.code, failed.message]).toEqual([
    "CONNECT_FAILED",
    expect.stringContaining("requires authentication (407)"),
  ]);
});
