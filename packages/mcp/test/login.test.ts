// Promise 10 of SECURITY.md.
// @module-tag sampled
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AuthorizationOptions, authorizationServer, protectedServer } from "./authorization-server.ts";
import { httpPackage } from "./http-package.ts";
import { logIn, logOut } from "./login.ts";

/** A server that wants a token, its authorization server, and a package. */
async function secured(options: AuthorizationOptions = {}) {
  const authorization = await authorizationServer(options);
  const server = await protectedServer(authorization);
  const pack = await httpPackage(server.url);
  const tokensFile = join(pack.dataDir, "tokens.json");
  const stored = () => JSON.parse(readFileSync(tokensFile, "utf8"));
  return { authorization, server, ...pack, tokensFile, stored };
}

describe("a login", () => {
  test("stores tokens that calls use, in a file for the user only", async () => {
    const { authorization, server, dataDir, tokensFile, call } = await secured();
    const { opened, last, stderr } = await logIn(server.url, { dataDir });
    expect([last, stderr]).toEqual([{ issuer: authorization.url }, ""]);
    const { searchParams } = new URL(String(opened?.open));
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      scope: "read",
      resource: server.url,
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    expect(statSync(tokensFile).mode & 0o777).toBe(0o600);
    expect(await call("echo", { message: "in" })).toEqual({ output: "Echo: in" });
    // The authorization server gets no header of the MCP server, and the MCP server only the access token.
    expect(server.posted("tools/call")[0]?.headers.authorization).toMatch(/^Bearer access-/);
  });

  test("takes the URL that the user pastes", async () => {
    const { authorization, server, dataDir } = await secured();
    const { last } = await logIn(server.url, {
      dataDir,
      async open(url, paste) {
        paste("what now?");
        paste((await fetch(url, { redirect: "manual" })).headers.get("location") ?? "");
      },
    });
    expect(last).toEqual({ issuer: authorization.url });
  });

  test("ignores redirects with a wrong state or none, and takes the right one after them", async () => {
    const { authorization, server, dataDir } = await secured();
    const answers: [number, string][] = [];
    const { last } = await logIn(server.url, {
      dataDir,
      async open(url) {
        const right = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
        const other = new URL(right);
        other.searchParams.set("state", "x".repeat(43));
        const without = new URL(right);
        without.searchParams.delete("state");
        for (const to of [`${other}`, `${without}&error=access_denied`, right]) {
          const response = await fetch(to);
          answers.push([response.status, await response.text()]);
        }
      },
    });
    const page = "This is not the login that ikigai is waiting for. It is still waiting.\n";
    expect(answers).toEqual([
      [400, page],
      [400, page],
      [200, "You can close this page and return to ikigai.\n"],
    ]);
    expect(last).toEqual({ issuer: authorization.url });
  });

  test("fails with a URL of another login that the user pastes", async () => {
    const { server, dataDir, tokensFile } = await secured();
    const { last } = await logIn(server.url, {
      dataDir,
      async open(url, paste) {
        const right = (await fetch(url, { redirect: "manual" })).headers.get("location") ?? "";
        paste(right.replace(/state=[^&]*/, "state=other"));
      },
    });
    expect(last.error).toContain("belongs to another login");
    expect(existsSync(tokensFile)).toBe(false);
  });

  test.each([
    ["another issuer", { redirect: (query) => query.set("iss", "https://other.example") }, "Issuer mismatch"],
    ["no issuer", { redirect: (query) => query.delete("iss") }, "Issuer mismatch"],
    ["an error", { redirect: (query) => query.set("error", "access_denied") }, "refused: access_denied."],
    ["a hostile error", { redirect: (query) => query.set("error", "call +1 555") }, "refused: unknown error."],
    ["no code", { redirect: (query) => query.delete("code") }, "The redirect contains no code."],
    ["a wrong code", { redirect: (query) => query.set("code", "stolen") }, "failed"],
  ] satisfies [string, AuthorizationOptions, string][])(
    "fails with %s, and stores nothing",
    async (what, options, why) => {
      const { server, dataDir, tokensFile, authorization } = await secured(options);
      const { last } = await logIn(server.url, { dataDir });
      expect(last).toMatchObject({ error_code: "MCP_REQUEST_FAILED", error: expect.stringContaining(why) });
      expect(existsSync(tokensFile)).toBe(false);
      const isSent = authorization.tokenRequests("authorization_code").length > 0;
      expect(isSent).toBe(what === "a wrong code");
    },
  );

  test("uses its client again, as long as the redirect URL is the same", async () => {
    const { authorization, server, dataDir } = await secured();
    await logIn(server.url, { dataDir });
    await logIn(server.url, { dataDir });
    expect(authorization.clients.size).toBe(1);
  });

  test("uses a client that the user has registered", async () => {
    const { authorization, server, dataDir } = await secured();
    authorization.clients.set("mine", ["http://127.0.0.1:47123/callback"]);
    const { last } = await logIn(server.url, { dataDir, options: { clientId: "mine", callbackPort: 47_123 } });
    expect(last).toEqual({ issuer: authorization.url });
    expect(authorization.requests.map(({ path }) => path)).not.toContain("/register");
  });

  test("asks for the scope that a call has needed, besides the others", async () => {
    const { server, dataDir, call } = await secured();
    await logIn(server.url, { dataDir });
    expect(await call("big", { bytes: 3 })).toEqual({
      error: "The MCP server test requires a login with more rights: write.",
      error_code: "MISSING_CREDENTIALS",
      help: { steps: ["ikigai mcp login test"] },
    });
    expect(server.posted("tools/call")).toHaveLength(1);
    const { opened } = await logIn(server.url, { dataDir });
    expect(new URL(String(opened?.open)).searchParams.get("scope")).toBe("read write");
    expect(await call("big", { bytes: 3 })).toEqual({ output: "xxx" });
  });

  test("says when the code goes to another origin than the login", async () => {
    const elsewhere = await authorizationServer();
    const { server, dataDir } = await secured({ metadata: () => ({ token_endpoint: `${elsewhere.url}/token` }) });
    const { opened, last } = await logIn(server.url, { dataDir });
    expect(opened?.codeGoesTo).toBe(elsewhere.url);
    expect(last.error_code).toBe("MCP_REQUEST_FAILED");
  });
});

describe("a refresh", () => {
  test("happens before the token expires, without the user", async () => {
    const { authorization, server, dataDir, call, stored } = await secured({ expiresInS: 1 });
    await logIn(server.url, { dataDir });
    const before = stored();
    expect(await call("echo", { message: "x" })).toEqual({ output: "Echo: x" });
    expect(authorization.tokenRequests("refresh_token").length).toBeGreaterThan(0);
    expect(stored()).not.toEqual(before);
  });

  test("happens when the server rejects the token, and the call is made once", async () => {
    const { authorization, server, dataDir, call } = await secured();
    await logIn(server.url, { dataDir });
    authorization.accessTokens.clear();
    expect(await call("echo", { message: "x" })).toEqual({ output: "Echo: x" });
    expect(authorization.tokenRequests("refresh_token")).toHaveLength(1);
    expect(server.calls).toEqual(["echo"]);
  });

  test("happens once for several processes and calls", async () => {
    const { authorization, server, dataDir, call } = await secured({ slowMs: 300 });
    await logIn(server.url, { dataDir });
    authorization.accessTokens.clear();
    const answers = await Promise.all(["1", "2", "3"].map((message) => call("echo", { message })));
    expect(answers.map(({ output }) => output)).toEqual(["Echo: 1", "Echo: 2", "Echo: 3"]);
    expect(authorization.tokenRequests("refresh_token")).toHaveLength(1);
  });

  test("that is refused asks for a login, and the tools stay", async () => {
    const { authorization, server, dataDir, call, stored } = await secured();
    await logIn(server.url, { dataDir });
    authorization.accessTokens.clear();
    authorization.state.refuses = true;
    for (const _ of [1, 2])
      expect(await call("echo", { message: "x" })).toEqual({
        error: "The MCP server test requires a login.",
        error_code: "MISSING_CREDENTIALS",
        help: { steps: ["ikigai mcp login test"] },
      });
    expect(authorization.tokenRequests("refresh_token")).toHaveLength(1);
    expect(JSON.stringify(stored())).not.toMatch(/access-|refresh-/);
  });
});

test("a logout revokes the tokens and removes them", async () => {
  const { authorization, server, dataDir, tokensFile, call } = await secured();
  await logIn(server.url, { dataDir });
  expect((await logOut(server.url, dataDir)).last).toEqual({ isRevoked: true });
  expect(existsSync(tokensFile)).toBe(false);
  expect(authorization.accessTokens.size).toBe(0);
  expect((await call("echo", { message: "x" })).error_code).toBe("MISSING_CREDENTIALS");
});

test("tokens go to the URL they are for, and nowhere else", async () => {
  const { server, dataDir } = await secured();
  await logIn(server.url, { dataDir });
  const thief = await protectedServer({ url: "http://127.0.0.1:9", accessTokens: new Map() });
  const { call } = await httpPackage(thief.url);
  expect((await call("echo", { message: "x" }, { IKIGAI_DATA_DIR: dataDir })).error_code).toBe("MISSING_CREDENTIALS");
  expect(thief.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});

test("a token is not shown in an answer", async () => {
  const { server, dataDir, call, stored } = await secured();
  await logIn(server.url, { dataDir });
  const [login] = Object.values<{ tokens: { access: string } }>(stored().logins);
  expect(await call("echo", { message: login?.tokens.access })).toEqual({ output: "Echo: [key removed]" });
});
