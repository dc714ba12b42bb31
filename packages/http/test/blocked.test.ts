// Promise 3 of SECURITY.md.
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { addressPolicy } from "../src/address-policy.ts";
import { isPrivateName, privateDomains } from "../src/addresses.ts";
import { checkHops } from "../src/index.ts";
import { failureOf, get, httpServer, opening } from "./servers.ts";

test.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://017700000001/",
  "http://127.0.0.1./",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:169.254.169.254]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[::127.0.0.1]/",
  "http://[2002:7f00:1::]/",
  "http://[fd00::1]/",
  "http://[fe80::1]/",
  "http://169.254.169.254/latest/meta-data/",
  "http://10.0.0.1:8080/",
  "https://192.168.1.1/",
  "http://100.100.100.200/",
  "http://localhost/",
])("blocks %s, and says how to open it", async (url) => {
  const { code, details } = await failureOf(get(url, {}));
  expect([code, JSON.stringify(details)]).toEqual(["BLOCKED_ADDRESS", expect.stringContaining("IKIGAI_WEB_ALLOW=")]);
});

test.each([
  "http://10.0.0.1/",
  "http://[::ffff:10.0.0.1]/",
  "https://0xa000001/",
  "http://printer.local/",
  "https://metadata.google.internal/",
  "https://metadata.google.internal./",
  "http://a.localhost/",
  "http://localhost./",
  "http://router/",
  "http://ROUTER./",
  "https://ip6-localhost/",
  "http://kubernetes.default.svc/",
  `http://${hostname()}/`,
  ...privateDomains.map((domain) => `http://a.${domain}/`),
])("blocks %s behind a proxy, without asking it, and says how to open it", async (url) => {
  const proxy = await httpServer((_, response) => response.end());
  const env = { HTTP_PROXY: proxy.origin, HTTPS_PROXY: proxy.origin };
  const { code, details } = await failureOf(get(url, env));
  expect([code, JSON.stringify(details)]).toEqual(["BLOCKED_ADDRESS", expect.stringContaining("IKIGAI_WEB_ALLOW=")]);
  expect(proxy.requests).toEqual([]);
});

test.each([
  ["box.example.com", true],
  ["Box.Example.com.", true],
  ["other.example.com", false],
])("knows whether box.example.com is this computer, which is named %s", (own, isOwn) => {
  expect(isPrivateName("box.example.com", own)).toBe(isOwn);
});

test("takes no address and no name on the internet for a private name", () => {
  for (const host of [
    "93.184.216.34",
    "2606:4700::1111",
    "example.com",
    "local.example.com",
    "mylocal.dev",
    "homelan.org",
  ])
    expect([host, isPrivateName(host, "box")]).toEqual([host, false]);
});

test("blocks a name behind a proxy that the hosts file leads inside", () => {
  const text = [
    "127.0.1.1\tbox.example.com box # this computer: dev.example.com",
    "  10.0.0.7 Intern.Example.com. other.example.com",
    "#127.0.0.1 off.example.com",
    "93.184.216.34 public.example.com",
    "::1 six.example.com",
    "",
  ].join("\n");
  const admit = (host: string, isProxied = true, list = "") => {
    const policy = addressPolicy({ IKIGAI_WEB_ALLOW: list }, undefined, undefined, () => text);
    return () => policy.admit(new URL(`http://${host}/`), { isProxied, mayOpen: true });
  };
  for (const host of ["box.example.com", "intern.example.com", "OTHER.example.com.", "six.example.com"])
    expect(admit(host), host).toThrow(/is a name of this computer or of a private network/);
  for (const host of ["dev.example.com", "off.example.com", "public.example.com", "a.box.example.com"])
    expect(admit(host), host).not.toThrow();
  // Without a proxy, its addresses are checked.
  expect(admit("box.example.com", false)).not.toThrow();
  expect(admit("box.example.com", true, "box.example.com")).not.toThrow();
});

test("opens a private name behind a proxy", async () => {
  const proxy = await httpServer((_, response) => response.end("ok"));
  const env = { HTTP_PROXY: proxy.origin, IKIGAI_WEB_ALLOW: "router,*.lan" };
  expect((await get("http://router/", env)).body.toString()).toBe("ok");
  expect((await get("http://printer.lan/", env)).body.toString()).toBe("ok");
});

test.each([
  "http://localhost../",
  "http://169.254.169.254.../",
  "http://metadata.google.internal../",
  "http://.localhost/",
  "http://a..localhost/",
  "http://./",
])("refuses %s behind a proxy, which could find another host without the dots", async (url) => {
  const proxy = await httpServer((_, response) => response.end());
  const failed = await failureOf((async () => get(url, { HTTP_PROXY: proxy.origin }))());
  expect([failed.code, proxy.requests]).toEqual(["INVALID_URL", []]);
});

test("names at most three of the addresses that a name has", () => {
  const messageWith = (count: number) => {
    const found = Array.from({ length: count }, (_, index) => ({ address: `10.0.0.${index}` }));
    return addressPolicy({}).admit(new URL("http://a.example/"), { isProxied: false, mayOpen: true }).blocked(found)
      .message;
  };
  expect(messageWith(3)).toContain("10.0.0.0, 10.0.0.1, 10.0.0.2.");
  expect(messageWith(4_000)).toContain("10.0.0.0, 10.0.0.1, 10.0.0.2 and 3997 others.");
});

test("opens hosts with their port, names below a domain, and subnets", async () => {
  const server = await httpServer((_, response) => response.end("ok"));
  const { port } = server;
  const isOpen = async (url: string, list: string) => {
    const end = get(url, { IKIGAI_WEB_ALLOW: list });
    return await end.then(
      ({ body }) => body.toString() === "ok",
      ({ code }) => (code === "BLOCKED_ADDRESS" ? false : code),
    );
  };
  for (const [list, wanted] of [
    [`127.0.0.1:${port}`, true],
    [`localhost:1 , 127.0.0.1:${port}`, true],
    ["127.0.0.1", true],
    ["127.0.0.0/8", true],
    ["127.0.0.1/32", true],
    [`127.0.0.1:${port + 1}`, false],
    ["127.0.0.2/32", false],
    ["localhost", false],
    ["*.0.0.1", false],
    ["*", false],
    ["::/0", false],
    ["", false],
  ] as const)
    expect([list, await isOpen(`http://127.0.0.1:${port}/`, list)]).toEqual([list, wanted]);
  expect(await isOpen(`http://0x7f.1:${port}/`, `127.0.0.1:${port}`)).toBe(true);
  expect(await isOpen(`http://[::ffff:127.0.0.1]:${port}/`, "127.0.0.0/8")).toBe(true);
  expect(await isOpen(`http://localhost:${port}/`, `LOCALHOST:${port}`)).toBe(true);
  expect(await isOpen(`http://localhost:${port}/`, "127.0.0.0/8,::1/128")).toBe(true);
  expect(await isOpen(`http://localhost:${port}/`, "*.localhost")).toBe(false);
});

test("names entries of the list that it cannot read", async () => {
  const env = { IKIGAI_WEB_ALLOW: "10.1.0.0/99, http://x/, *.10.0.0.1" };
  const { details } = await failureOf(get("http://10.1.0.1/", env));
  for (const entry of ["10.1.0.0/99", "http://x/", "*.10.0.0.1"]) expect(JSON.stringify(details)).toContain(entry);
});

test("lets a URL that the user has set up have any address", async () => {
  const server = await httpServer((_, response) => response.end("ok"));
  expect((await get(server.origin, {}, { isTrusted: true })).body.toString()).toBe("ok");
});

test("checks the servers of a stored response again", async () => {
  const hops = [{ url: "http://127.0.0.1:3000/", address: "127.0.0.1" }];
  const check = (stored: typeof hops, list = "") => {
    try {
      return checkHops(stored, { IKIGAI_WEB_ALLOW: list });
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(check(hops)).toBe("BLOCKED_ADDRESS");
  expect(check(hops, "127.0.0.1:3000")).toBe(true);
  const intoInside = [
    { url: "http://example.com/", address: "93.184.216.34" },
    { url: "http://www.example.com/", address: "10.1.0.1" },
  ];
  expect(check(intoInside, "10.1.0.0/16")).toBe("BLOCKED_ADDRESS");
  expect(check(intoInside.slice(1), "10.1.0.0/16")).toBe(true);
  expect(checkHops([{ url: "http://example.com/" }], {})).toBe(false);
  expect(checkHops([{ url: "http://example.com/" }], { HTTP_PROXY: "http://127.0.0.1:1" })).toBe(true);
});

test("opens by name for a whole chain of redirects, each of which is checked", async () => {
  const server = await httpServer(({ url }, response) =>
    url === "/end" ? response.end("end") : response.writeHead(302, { location: "/end" }).end(),
  );
  const { body, url, hops } = await get(`${server.origin}/`, opening(server));
  expect([body.toString(), url.pathname, hops.length]).toEqual(["end", "/end", 2]);
});
