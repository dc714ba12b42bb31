// Promise 10 of SECURITY.md.
// @module-tag sampled
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationServer, protectedServer } from "../../../../packages/mcp/test/authorization-server.ts";
import { type RunningIkigai, until } from "../ikigai.ts";
import { openTerminal } from "../terminal.ts";
import { mcpHome } from "./mcp-home.ts";

/** Does what a browser does with the URL that a login prints. */
async function browse({ stderr }: RunningIkigai): Promise<void> {
  await until(() => /\n {2}http.*\n/.test(stderr()), "the URL of the login");
  await fetch(/\n {2}(http.*)\n/.exec(stderr())?.[1] ?? "");
}

/** A server that wants a token, and a home. */
async function secured(options: Parameters<typeof authorizationServer>[0] = {}) {
  const authorization = await authorizationServer(options);
  const server = await protectedServer(authorization);
  const home = await mcpHome();
  const tokensFile = join(home.own, "data/mcp-web/tokens.json");
  return { authorization, server, tokensFile, ...home };
}

describe("mcp login", () => {
  test("comes before add, where a server says nothing without a login", async () => {
    const { server, run, call, tokensFile, authorization, names } = await secured();
    const refused = await run(["mcp", "add", "web", server.url, "--yes"]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      `ikigai: The MCP server web requires a login. Run: ikigai mcp login web ${server.url}\n`,
    ]);
    expect(names("data")).toEqual([]);
    const login = await run(["mcp", "login", "web", server.url], { whileRunning: browse });
    expect([login.exitCode, login.stdout]).toEqual([
      0,
      `Logged in to web: ${authorization.url}\nTo add the server: ikigai mcp add web ${server.url}\n`,
    ]);
    expect(statSync(tokensFile).mode & 0o777).toBe(0o600);
    expect((await run(["mcp", "add", "web", server.url, "--yes"])).exitCode).toBe(0);
    expect((await call("mcp__web__echo", { message: "hi" })).envelope.result).toEqual({ output: "Echo: hi" });
    expect((await run(["mcp", "list"])).stdout).toMatch(/ready\n {2}.*\n$/);
  });

  test("opens the user's browser, never one of the project, and without a provider's key", async () => {
    const { server, home } = await secured();
    const mark = join(home, "mark");
    for (const place of ["project/node_modules/.bin", "bin"]) {
      mkdirSync(join(home, place), { recursive: true });
      const text = `#!/bin/sh\necho "${place} $1 $ANTHROPIC_API_KEY" >> '${mark}'\n`;
      writeFileSync(join(home, place, "xdg-open"), text, { mode: 0o755 });
    }
    const cwd = join(home, "project");
    const path = [join(cwd, "node_modules/.bin"), join(home, "bin"), process.env.PATH];
    const env = { HOME: home, DISPLAY: ":9", ANTHROPIC_API_KEY: "sk-secret", PATH: path.join(":") };
    await openTerminal(["mcp", "login", "web", server.url], { cwd, env });
    await until(() => existsSync(mark), "the browser");
    expect(readFileSync(mark, "utf8")).toMatch(/^bin http\S+ \n$/);
  });

  test("is asked for when a refresh is refused, and the tools stay", async () => {
    const { authorization, server, run, call } = await secured();
    await run(["mcp", "login", "web", server.url], { whileRunning: browse });
    await run(["mcp", "add", "web", server.url, "--yes"]);
    authorization.accessTokens.clear();
    authorization.state.refuses = true;
    expect((await call("mcp__web__echo", { message: "hi" })).envelope.result).toEqual({
      error: "The MCP server web requires a login.",
      error_code: "MISSING_CREDENTIALS",
      help: { steps: ["ikigai mcp login web"] },
    });
    expect((await run(["mcp", "list"])).stdout).toMatch(/5 tools .*needs login\n {2}.*\n$/);
    authorization.state.refuses = false;
    expect((await run(["mcp", "login", "web"], { whileRunning: browse })).exitCode).toBe(0);
    expect((await call("mcp__web__echo", { message: "hi" })).envelope.result).toEqual({ output: "Echo: hi" });
  });

  test("opens a browser on a terminal, and takes a pasted URL", async () => {
    const { server, home } = await secured();
    const bin = join(home, "bin");
    mkdirSync(bin);
    writeFileSync(
      join(bin, "xdg-open"),
      `#!/bin/sh\nprintf %s "$1" >"$HOME/opened.tmp"\nmv "$HOME/opened.tmp" "$HOME/opened"\n`,
    );
    chmodSync(join(bin, "xdg-open"), 0o755);
    const env = { HOME: home, DISPLAY: ":1", PATH: `${bin}:${process.env.PATH}` };
    const terminal = await openTerminal(["mcp", "login", "web", server.url], { env, columns: 400 });
    await terminal.waitFor("paste the URL that it ends up at:");
    const opened = join(home, "opened");
    await until(() => existsSync(opened), "the browser");
    const url = readFileSync(opened, "utf8");
    expect(terminal.screen()).toContain(url);
    terminal.type(`${(await fetch(url, { redirect: "manual" })).headers.get("location")}\r`);
    await terminal.waitFor("Logged in to web: ");
    expect(await terminal.exitCode).toBe(0);
  });

  test("opens no browser without a terminal, nor in a call", async () => {
    const { server, run, home, call } = await secured();
    const bin = join(home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\n: >"$HOME/opened"\n`);
    chmodSync(join(bin, "xdg-open"), 0o755);
    const env = { DISPLAY: ":1", PATH: `${bin}:${process.env.PATH}` };
    await run(["mcp", "login", "web", server.url], { whileRunning: browse, env });
    await run(["mcp", "add", "web", server.url, "--yes"], { env });
    await run(["mcp", "logout", "web"], { env });
    expect((await call("mcp__web__echo", { message: "hi" })).envelope.result.error_code).toBe("MISSING_CREDENTIALS");
    expect(existsSync(join(home, "opened"))).toBe(false);
  });

  test("asks before a code goes to another origin than the login", async () => {
    const elsewhere = await authorizationServer();
    const { server, run, tokensFile } = await secured({
      metadata: () => ({ token_endpoint: `${elsewhere.url}/token` }),
    });
    const { exitCode, stderr } = await run(["mcp", "login", "web", server.url]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`but ${elsewhere.url} would get the authorization code. To allow it: --yes`),
    ]);
    expect([elsewhere.requests, existsSync(tokensFile)]).toEqual([[], false]);
  });

  test.each([
    [["login", "nope"], 1, 'No MCP server "nope". To log in before you add it: ikigai mcp login nope URL'],
    [
      ["login", "web", "http://127.0.0.1:9", "--callback-port", "0"],
      2,
      'Expected --callback-port to be a port, got "0".',
    ],
    [
      ["login", "web", "http://127.0.0.1:9", "--callback-port", "65536"],
      2,
      'Expected --callback-port to be a port, got "65536".',
    ],
    [["login", "web", "http://127.0.0.1:9", "--callback-port", "65535"], 1, "127.0.0.1:9 refused the connection"],
    [["login", "web", "http://mcp.example/mcp"], 1, "is not encrypted (https), so a login would not be secret."],
    [["logout", "nope"], 1, "Not logged in to nope."],
  ])("mcp %j fails", async (args, code, why) => {
    const { run } = await mcpHome();
    const { exitCode, stderr } = await run(["mcp", ...args]);
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(why)]);
  });
});

test("mcp logout revokes the tokens; remove removes them", async () => {
  const { authorization, server, run, tokensFile } = await secured();
  await run(["mcp", "login", "web", server.url], { whileRunning: browse });
  const { exitCode, stdout } = await run(["mcp", "logout", "web"]);
  expect([exitCode, stdout]).toEqual([0, "Logged out of web; its tokens are revoked\n"]);
  expect([authorization.accessTokens.size, existsSync(tokensFile)]).toEqual([0, false]);
  await run(["mcp", "login", "web", server.url], { whileRunning: browse });
  await run(["mcp", "add", "web", server.url, "--yes"]);
  await run(["mcp", "remove", "web", "--yes"]);
  expect(existsSync(tokensFile)).toBe(false);
});
