// Promise 3 of SECURITY.md.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answerOf, key, type Name, recorded, search, serverOf, serverWith, settings } from "./search-server.ts";

test("says so if nothing listens", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await answerOf(search(settings("searxng", { origin: `http://127.0.0.1:${port}` })))).toMatchObject({
    error: expect.stringContaining(`127.0.0.1:${port}`),
    error_code: "CONNECT_FAILED",
  });
});

test("says so if there is no such host", async () => {
  expect(await answerOf(search(settings("searxng", { origin: "http://search.invalid" })))).toMatchObject({
    error: expect.stringContaining("search.invalid"),
    error_code: "DNS_FAILED",
  });
});

test("says so if the server speaks no TLS", async () => {
  const { origin } = await serverWith(recorded("brave"));
  const end = await search(settings("brave", { origin: origin.replace("http:", "https:") }));
  expect(end).toMatchObject({ exitCode: 0, result: { error_code: "TLS_FAILED" } });
  expect(end.stdout).not.toContain(key);
});

test("says so if the server closes the connection", async () => {
  const server = await serverOf((response) => response.socket?.destroy());
  expect(await answerOf(search(settings("kagi", server)))).toMatchObject({ error_code: "CONNECT_FAILED" });
});

test.each(["before", "after"])("stops in time if the server falls silent %s the headers", async (when) => {
  const server = await serverOf((response) => {
    if (when === "after") response.writeHead(200).write('{"results":[');
  });
  const env = { ...settings("tavily", server), IKIGAI_TIMEOUT_MS: "1500" };
  const start = performance.now();
  expect(await answerOf(search(env))).toMatchObject({ error_code: "TIMEOUT" });
  expect(performance.now() - start).toBeGreaterThan(1_000);
});

/** A proxy that notes what it is asked for, and refuses. */
async function refusingProxy() {
  const targets: (string | undefined)[] = [];
  const proxy = createHttpServer().on("connect", (request, socket) => {
    targets.push(request.url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { targets, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

test.each([
  ["brave", "api.search.brave.com:443"],
  ["tavily", "api.tavily.com:443"],
  ["kagi", "kagi.com:443"],
])("asks %s at %s, and tells the proxy no key", async (name, target) => {
  const { targets, url } = await refusingProxy();
  const end = await search({ [`${name.toUpperCase()}_API_KEY`]: key, HTTPS_PROXY: url });
  expect(end).toMatchObject({ exitCode: 0, result: { error_code: "CONNECT_FAILED" } });
  expect(end.stdout).not.toContain(key);
  expect(targets).toEqual([target]);
});

test("uses a proxy for a server of the user, whose name only the proxy knows", async () => {
  const proxy = await serverWith(recorded("searxng"));
  const env = { ...settings("searxng", { origin: "http://search.internal:8080" }), HTTP_PROXY: proxy.origin };
  expect(await answerOf(search(env))).toMatchObject({ count: 2 });
  expect(proxy.requests).toMatchObject([
    { url: "http://search.internal:8080/search?q=node+streams&format=json", headers: { host: "search.internal:8080" } },
  ]);
});

test.each<Name>(["searxng", "brave"])("connects to %s on this computer if the user has set its URL", async (name) => {
  const server = await serverWith(recorded(name));
  expect(await answerOf(search(settings(name, server)))).toMatchObject({ count: 2 });
});
