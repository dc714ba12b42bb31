import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { resolveModel } from "../src/index.ts";
import { modelServer } from "./model-server.ts";
import { hear, secret } from "./providers.ts";

/** A proxy that leads every host to one server, if the client knows the password. */
async function proxy(target: string, password = ""): Promise<{ host: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((_, response) => response.writeHead(500).end());
  server.on("connect", ({ url = "", headers }, socket) => {
    asked.push(url);
    const wanted = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
    if (password && headers["proxy-authorization"] !== wanted) return socket.end("HTTP/1.1 407 No\r\n\r\n");
    const upstream = connect(Number(new URL(target).port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    return socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const through = (address: string, more = {}) =>
  resolveModel({
    config: {},
    env: { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: "http://models.test/v1", HTTP_PROXY: address, ...more },
    wanted: "anthropic/m",
  });

test("goes through a proxy, with its password", async () => {
  const server = await modelServer({ text: "ok" });
  const { host, asked } = await proxy(server.url, "pass word");
  const model = await through(`http://me:pass%20word@${host}`);
  expect((await hear(model)).text).toBe("ok");
  expect((await hear(model)).text).toBe("ok");
  expect(new Set(asked)).toEqual(new Set(["models.test:80"]));
});

test("a proxy that wants a password is named, and the password is not", async () => {
  const { host } = await proxy("http://127.0.0.1:9", "right");
  const { error } = await hear(await through(`http://me:wrong-one@${host}`));
  expect(error?.message).toBe(
    `The proxy ${host} wants a user name and a password (407). Put them into the proxy's address.`,
  );
});

test("a proxy that is not there is named", async () => {
  const { error } = await hear(await through("http://127.0.0.1:9"));
  expect([error?.code, error?.message]).toEqual([
    "network",
    expect.stringContaining("The proxy 127.0.0.1:9 cannot be reached"),
  ]);
});

test.each([
  [
    { HTTP_PROXY: "http://me:pass/word@host:x" },
    'HTTP_PROXY to be an address like http://proxy:3128, got "http://…@host:x"',
  ],
  [{ HTTP_PROXY: "me:pass@host:x" }, 'HTTP_PROXY to be an address like http://proxy:3128, got "…@host:x"'],
  [
    { HTTP_PROXY: "", all_proxy: "socks5://host:1080" },
    'all_proxy to be an address like http://proxy:3128, got "socks5://host:1080"',
  ],
])("a proxy that cannot be one is a mistake in the configuration: %j", async (env, message) => {
  const { error } = await hear(await through("", env));
  expect([error?.code, error?.message]).toEqual(["configuration", `Expected ${message}.`]);
});

test("what is excepted goes directly", async () => {
  const { host, asked } = await proxy("http://127.0.0.1:9");
  const { error } = await hear(await through(`http://${host}`, { NO_PROXY: "localhost,.test" }));
  expect([error?.message, asked]).toEqual([expect.stringContaining("models.test"), []]);
});
