// Promise 10 of SECURITY.md.
// @module-tag tables
import { existsSync } from "node:fs";
import { join } from "node:path";
import { surroundings } from "@ikigai/http";
import { describe, expect, test } from "vitest";
import { guardFor } from "../src/bridge/auth/access.ts";
import { type AuthorizationOptions, authorizationServer, protectedServer } from "./authorization-server.ts";
import { httpPackage } from "./http-package.ts";
import { logIn } from "./login.ts";

const ownAddress = {
  address: "10.1.2.77",
  netmask: "255.255.255.0",
  family: "IPv4",
  mac: "00:00:00:00:00:00",
  internal: false,
  cidr: "10.1.2.77/24",
} as const;
const ownAddress6 = {
  ...ownAddress,
  address: "2a02:8109:1234::5",
  netmask: "ffff:ffff:ffff:ffff::",
  family: "IPv6",
  cidr: "2a02:8109:1234::5/64",
  scopeid: 0,
} as const;

describe("the URLs that a server names", () => {
  const [publicServer, privateServer, ownServer] = [
    "https://192.0.32.8/mcp",
    "https://10.1.2.3/mcp",
    "http://127.0.0.1:8080/mcp",
  ];

  const around = surroundings(
    () => ({ eth0: [ownAddress6, ownAddress] }),
    () => "127.0.1.1 build.example\n",
  );

  test.each([
    [publicServer, "https://192.0.32.9/token", true],
    [publicServer, "https://auth.example/token", true],
    [publicServer, "http://auth.example/token", false],
    [publicServer, "https://10.0.0.1/token", false],
    [publicServer, "https://192.168.1.1/token", false],
    [publicServer, "https://172.31.0.1/token", false],
    [publicServer, "https://169.254.169.254/latest/meta-data", false],
    [publicServer, "https://100.100.100.200/", false],
    [publicServer, "https://127.0.0.1/token", false],
    [publicServer, "https://0x7f000001/token", false],
    [publicServer, "https://2130706433/token", false],
    [publicServer, "https://localhost/token", false],
    [publicServer, "https://a.localhost/token", false],
    [publicServer, "https://0.0.0.0/token", false],
    [publicServer, "https://[::1]/token", false],
    [publicServer, "https://[::ffff:127.0.0.1]/token", false],
    [publicServer, "https://[::ffff:10.0.0.1]/token", false],
    [publicServer, "https://[64:ff9b::a00:1]/token", false],
    [publicServer, "https://[fd00::1]/token", false],
    [publicServer, "https://[fe80::1]/token", false],
    [publicServer, "https://user:key@auth.example/token", false],
    [publicServer, "file:///etc/passwd", false],
    [publicServer, "javascript:alert(1)", false],
    [privateServer, "https://10.9.9.9/token", true],
    [privateServer, "https://192.0.32.9/token", true],
    [privateServer, "https://127.0.0.1/token", false],
    [privateServer, "http://10.9.9.9/token", false],
    [privateServer, "https://0.0.0.0/token", false],
    [privateServer, "https://[::]/token", false],
    [privateServer, "https://[64:ff9b::7f00:1]/token", false],
    [privateServer, "https://10.1.2.77/token", false],
    [privateServer, "https://[2a02:8109:1234::6]/token", true],
    [privateServer, "https://[2a02:8109:1234::5]/token", false],
    [privateServer, "https://intranet/token", true],
    [publicServer, "https://[2a02:8109:1234::6]/token", false],
    [publicServer, "https://[2a02:8109:1234::5]/token", false],
    [publicServer, "https://[2a02:8109:9999::6]/token", true],
    [publicServer, "https://168.63.129.16/token", false],
    [publicServer, "https://intranet/token", false],
    [publicServer, "https://router.local/token", false],
    [publicServer, "https://printer.lan./token", false],
    [publicServer, "https://metadata.google.internal/token", false],
    [publicServer, "https://build.example/token", false],
    [ownServer, "http://127.0.0.1:9000/token", true],
    [ownServer, "http://localhost:9000/token", true],
    [ownServer, "http://10.9.9.9/token", false],
  ])("%s: %s is requested: %s", async (server, url, isAllowed) => {
    const { check } = await guardFor(new URL(server), {}, around);
    if (isAllowed) expect(() => check(new URL(url))).not.toThrow();
    else expect(() => check(new URL(url))).toThrow(/^The login leads to /);
  });

  test("a server whose name looks private may name itself", async () => {
    const proxied = { HTTPS_PROXY: "http://192.0.32.1:3128" };
    const { check } = await guardFor(new URL("https://mcp.lan/mcp"), proxied, around);
    expect(() => check(new URL("https://mcp.lan/token"))).not.toThrow();
    expect(() => check(new URL("https://auth.lan/token"))).not.toThrow();
    expect(() => check(new URL("https://build.example/token"))).toThrow(/^The login leads to build.example, /);
  });

  test.each([
    [publicServer, true],
    [ownServer, false],
  ])("%s: a name that resolves to this computer is refused: %s", async (server, isRefused) => {
    const { lookup } = await guardFor(new URL(server), {}, around);
    for (const all of [true, false]) {
      const error = await new Promise((settle) => lookup("localhost", { all }, settle));
      expect(error !== null).toBe(isRefused);
    }
  });
});

describe("a login fails, and stores nothing,", () => {
  const cases: [string, AuthorizationOptions["metadata"], string][] = [
    ["when it would open a script", () => ({ authorization_endpoint: "javascript:alert(1)" }), "failed"],
    [
      "when it would open a file",
      () => ({ authorization_endpoint: "file:///etc/passwd" }),
      "URL that is not allowed: file://",
    ],
    [
      "when it is not encrypted",
      () => ({ authorization_endpoint: "http://192.0.32.8/a" }),
      "which is not encrypted (https).",
    ],
    [
      "when the registration is elsewhere, not encrypted",
      () => ({ registration_endpoint: "http://192.0.32.8/r" }),
      "not encrypted",
    ],
    ["when the token endpoint is not encrypted", () => ({ token_endpoint: "http://192.0.32.8/t" }), "192.0.32.8"],
    ["when the metadata is that of another issuer", () => ({ issuer: "https://other.example" }), "ssuer"],
    [
      "when its URL is too long to open",
      () => ({ authorization_endpoint: `https://192.0.32.8/${"x".repeat(9_000)}` }),
      "The URL to open has more than 8000 characters.",
    ],
    ["when PKCE is not supported", () => ({ code_challenge_methods_supported: ["plain"] }), "code challenge method"],
  ];

  test.each(cases)("%s", async (_, metadata, why) => {
    const authorization = await authorizationServer({ ...(metadata && { metadata }) });
    const { url } = await protectedServer(authorization);
    const { dataDir } = await httpPackage(url);
    const { last } = await logIn(url, { dataDir });
    expect(last).toMatchObject({ error_code: "MCP_REQUEST_FAILED", error: expect.stringContaining(why) });
    expect(existsSync(join(dataDir, "tokens.json"))).toBe(false);
    expect(authorization.tokenRequests("authorization_code")).toEqual([]);
  });

  test("when the metadata is for another server", async () => {
    const authorization = await authorizationServer();
    const { url } = await protectedServer(authorization, {
      resourceMetadata: { resource: "https://bank.example/mcp" },
    });
    const { dataDir } = await httpPackage(url);
    const { opened, last } = await logIn(url, { dataDir });
    expect([opened, last.error]).toEqual([undefined, expect.stringContaining("does not match")]);
  });
});

test("headers of the server are not sent to its authorization server", async () => {
  const authorization = await authorizationServer();
  const { url, seen } = await protectedServer(authorization);
  const { dataDir } = await httpPackage(url);
  const { last } = await logIn(url, { dataDir, headers: { "X-Key": "header-secret-1" } });
  expect(last).toEqual({ issuer: authorization.url });
  expect(seen.some(({ headers }) => headers["x-key"] === "header-secret-1")).toBe(true);
  expect(JSON.stringify(authorization.headers)).not.toContain("header-secret-1");
});
