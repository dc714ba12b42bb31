import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { listModels, listProviderModels, modelFacts, resolveModel, secretsOf } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { agent } from "./agent-setup.ts";
import { modelServer, status, stream } from "./model-server.ts";
import { hear, modelOf, providers, secret } from "./providers.ts";
import { toWire } from "./wire-formats.ts";

const [anthropic] = providers;

interface ProxyOptions {
  readonly password?: string;
  /** The status it responds with instead of forwarding. */
  readonly refusal?: number;
}

/** A proxy that leads every host to one server. `asked` has the first line of each request. */
async function proxy(
  target: string,
  { password, refusal }: ProxyOptions = {},
): Promise<{ host: string; asked: string[] }> {
  const asked: string[] = [];
  const port = Number(new URL(target).port);
  const statusFor = (given: string | undefined) => {
    const wanted = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
    return password !== undefined && given !== wanted ? 407 : refusal;
  };
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    asked.push(`${method} ${url}`);
    const code = statusFor(headers["proxy-authorization"]);
    if (code !== undefined || !URL.canParse(url)) return void response.writeHead(code ?? 400).end();
    const { "proxy-authorization": _, ...rest } = headers;
    const { pathname, search } = new URL(url);
    const onward = httpRequest(
      { port, host: "127.0.0.1", method, path: pathname + search, headers: rest },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward.on("error", () => response.destroy()));
  });
  server.on("connect", ({ url = "", headers }, socket) => {
    asked.push(`CONNECT ${url}`);
    const code = statusFor(headers["proxy-authorization"]);
    if (code !== undefined) return socket.end(`HTTP/1.1 ${code} No\r\n\r\n`);
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
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const through = (address: string, more = {}) =>
  resolveModel({
    config: {},
    env: { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: "http://models.test/v1", HTTP_PROXY: address, ...more },
    wanted: "anthropic/m",
  });

const tunnelled = (address: string) =>
  through("", { ANTHROPIC_BASE_URL: "https://models.test/v1", HTTPS_PROXY: address });

test("sends plain http to the proxy with the full URL and its password", async () => {
  const server = await modelServer({ text: "ok" });
  const { host, asked } = await proxy(server.url, { password: "pass word" });
  const model = await through(`http://me:pass%20word@${host}`);
  expect((await hear(model)).text).toBe("ok");
  expect((await hear(model)).text).toBe("ok");
  expect(asked).toEqual(Array(2).fill("POST http://models.test/v1/messages"));
  expect(server.requests[0]?.headers).toMatchObject({ host: "models.test", "x-api-key": secret });
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.runIf(hasOpenssl)("sends https through a tunnel and checks the certificate", async () => {
  const directory = await tempDir({});
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=models.test", "-addext", "subjectAltName=DNS:models.test", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject], {
    stdio: "ignore",
  });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    stream(response, toWire(request.url ?? "", { text: "ok" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const target = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { host, asked } = await proxy(target, { password: "100%" });
  const { error } = await hear(await tunnelled(`http://me:100%@${host}`));
  expect(asked).toEqual(["CONNECT models.test:443"]);
  expect(error?.message).toMatch(/^Rejected the certificate of models\.test:/);
});

test.each(["http", "https"])("sends requests for models and windows through the proxy: %s", async (scheme) => {
  const list = { data: [{ id: "m", max_model_len: 4_096 }] };
  const server = await modelServer(status(200, list));
  const { host, asked } = await proxy(server.url);
  const base = `${scheme}://models.test/v1`;
  const env = { OPENAI_COMPATIBLE_BASE_URL: base, HTTP_PROXY: host, HTTPS_PROXY: host };
  const models = await listModels({}, { ...env, OLLAMA_HOST: "127.0.0.1:9" });
  const { contextWindow } = await modelFacts("openai-compatible/m", {}, env);
  const isPlain = scheme === "http";
  expect([models, contextWindow]).toEqual(isPlain ? [["openai-compatible/m"], 4_096] : [[], undefined]);
  expect(asked.sort()).toEqual(
    isPlain ? Array(2).fill("GET http://models.test/v1/models") : Array(2).fill("CONNECT models.test:443"),
  );
});

test.each([
  ["http", through],
  ["https", tunnelled],
] as const)("%s: names a proxy that refuses", async (_, model) => {
  const { host } = await proxy("http://127.0.0.1:9", { password: "right" });
  const { error } = await hear(await model(`http://me:wrong-one@${host}`));
  expect(error?.message).toBe(
    `The proxy ${host} rejected the user name or password in its URL (407). Check HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Special characters are percent-encoded there: @ is %40.`,
  );
  expect((await hear(await model(`http://${host}`))).error?.message).toBe(
    `The proxy ${host} requires authentication (407). Put the user name and password into its URL: http://USER:PASSWORD@${host}.`,
  );
  const gone = await hear(await model("http://me:secret-word@127.0.0.1:9"));
  expect([gone.error?.code, gone.error?.message]).toEqual([
    "network",
    expect.stringMatching(/^Cannot reach the proxy 127\.0\.0\.1:9: .* Check HTTPS_PROXY, HTTP_PROXY or ALL_PROXY\.$/),
  ]);
  expect(gone.error?.message).not.toContain("secret-word");
});

test.each([
  ["http", through],
  ["https", tunnelled],
] as const)("%s: retries after a proxy's 502", async (_, model) => {
  const one = await agent({});
  const { host, asked } = await proxy("http://127.0.0.1:9", { refusal: 502 });
  const { end } = await one.say(await model(host), "go");
  expect([end.error?.code, asked.length]).toEqual([expect.stringMatching(/^(network|unavailable)$/), 3]);
});

test("http: names the proxy that closes the connection, or that may have sent a page with an error", async () => {
  const closing = createTcpServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void closing.close());
  await once(closing, "listening");
  const { host, asked } = await proxy("http://127.0.0.1:9", { refusal: 500 });
  for (const [address, text] of [
    [`127.0.0.1:${(closing.address() as AddressInfo).port}`, "The proxy ADDRESS closed the connection (ECONNRESET)."],
    [host, "The proxy ADDRESS, or models.test behind it, responded with 500."],
  ] as const) {
    const { error } = await hear(await through(address));
    expect(error).toMatchObject({ code: "network", message: text.replace("ADDRESS", address), retryable: true });
  }
  expect(asked).toHaveLength(1);
});

test.each([
  ["127.0.0.1:9", "Cannot reach the proxy 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9. Check HTTPS_PROXY"],
  [undefined, "The proxy ADDRESS, or models.test behind it, responded with 502."],
])("lists of models: names a proxy that is not there, or fails: %s", async (gone, text) => {
  const { host } = await proxy("http://127.0.0.1:9", { refusal: 502 });
  const address = gone ?? host;
  const asked = {
    access: { apiKey: undefined, baseUrl: "http://models.test/v1" },
    config: {},
    env: { HTTP_PROXY: address },
  };
  await expect(listProviderModels("openai-compatible", asked)).rejects.toThrow(text.replace("ADDRESS", address));
});

test.each(["127.0.0.1", "localhost"])("%s never uses a proxy", async (hostname) => {
  const server = await modelServer({ text: "ok" });
  const { host, asked } = await proxy("http://127.0.0.1:9");
  const url = server.url.replace("127.0.0.1", hostname);
  const env = { ANTHROPIC_BASE_URL: url, ALL_PROXY: host, HTTPS_PROXY: host };
  expect((await hear(await through(host, env))).text).toBe("ok");
  expect((await hear(await modelOf(anthropic, url))).text).toBe("ok");
  expect(asked).toEqual([]);
});

test.each([
  ["localhost,.test", true],
  ["models.test", true],
  ["*.test", true],
  ["*", true],
  ["test", true],
  ["models.test:80", true],
  ["models.test:443", false],
  ["els.test", false],
  ["other.test, localhost", false],
  ["", false],
])("with NO_PROXY=%j models.test is requested directly: %s", async (list, isDirect) => {
  const { host, asked } = await proxy("http://127.0.0.1:9", { refusal: 500 });
  const { error } = await hear(await through(host, { NO_PROXY: list }));
  expect([error !== undefined, asked.length === 0]).toEqual([true, isDirect]);
});

test("treats proxy passwords as secrets", () => {
  const env = { HTTPS_PROXY: "http://me:pass%20word@host:1", http_proxy: "you:other-one@host", ALL_PROXY: "x:9" };
  expect(secretsOf({}, env)).toEqual(["pass%20word", "pass word", "other-one"]);
});

test.each([
  [{ HTTP_PROXY: "http://me:pass/word@host:x" }, 'HTTP_PROXY to be a URL like http://proxy:3128, got "http://host:x"'],
  [{ HTTP_PROXY: "me:pass@host:x" }, 'HTTP_PROXY to be a URL like http://proxy:3128, got "host:x"'],
  [
    { HTTP_PROXY: "", all_proxy: "socks5://host:1080" },
    'all_proxy to be a URL like http://proxy:3128, got "socks5://host:1080"',
  ],
])("reports an invalid proxy as a configuration error: %j", async (env, message) => {
  const { error } = await hear(await through("", env));
  expect([error?.code, error?.message]).toEqual(["configuration", `Expected ${message}.`]);
});

test("knows a password of a base URL as written, as a URL has it, and decoded", () => {
  const config = { providers: { openai: { baseUrl: "http://u:a^b:c%20d@h/x" } } };
  const passwords = ["a^b:c%20d", "a%5Eb%3Ac%20d", "a^b:c d"];
  expect(secretsOf(config, {})).toEqual(passwords);
  expect(secretsOf({}, { OPENAI_BASE_URL: " http://u:a^b:c%20d@h/x" })).toEqual(passwords);
  expect(secretsOf({}, { OPENAI_BASE_URL: "http://u:100%sure@h" })).toEqual(["100%sure"]);
  expect(secretsOf({}, { OPENAI_BASE_URL: "http://h:1/x:y@z" })).toEqual([]);
});
