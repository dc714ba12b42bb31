// Promise 10 of SECURITY.md.
// @module-tag sampled
import { readdirSync, readFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpServer } from "../../../../packages/mcp/test/http-server.ts";
import { mcpHome } from "./mcp-home.ts";
import { sseServer } from "./sse-server.ts";

/** Every file below a directory, as one text. */
function textBelow(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
}

describe("mcp add NAME URL", () => {
  test.each(["legacy", "modern"] as const)("makes tools of the tools of a remote server: %s", async (era) => {
    const { url, calls } = await httpServer({ era });
    const { run, call } = await mcpHome();
    const { exitCode, stdout, stderr } = await run(["mcp", "add", "web", url, "--yes"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Connecting, to list its tools:  ${url}\n`);
    const { envelope } = await call("mcp__web__echo", { message: "hi" });
    expect(envelope.result).toEqual({ output: "Echo: hi" });
    expect(calls).toEqual(["echo"]);
    expect((await run(["mcp", "list"])).stdout).toMatch(/^web {2}http {2}5 tools {2}.* {2}ready\n {2}http.*\n$/);
    expect((await run(["mcp", "test", "web"])).stdout).toMatch(/Its tools have not changed\.\n$/);
  });

  test("keeps headers and queries with keys out of packages, logs and output", async () => {
    const { url, seen, posted } = await httpServer();
    const { run, call, own } = await mcpHome();
    const at = `${url}?key=query-secret-1`;
    const header = ["--header", "Authorization: Bearer header-secret-1", "--header", `X-Env: \${TOKEN}`];
    const env = { TOKEN: "variable-secret-1" };
    const added = await run(["mcp", "add", "web", at, "--yes", ...header], { env });
    expect([added.exitCode, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toContain(`${url}?…`);
    await run(["tool", "call", "mcp__web__echo", '{"message":"header-secret-1"}'], { env });
    expect((await call("mcp__web__echo", { message: "x" })).envelope.result).toMatchObject({
      error_code: "MISSING_CREDENTIALS",
    });
    expect(posted("tools/call")[0]?.headers).toMatchObject({
      authorization: "Bearer header-secret-1",
      "x-env": "variable-secret-1",
    });
    expect(seen.every(({ path }) => path === "/mcp?key=query-secret-1")).toBe(true);
    const shown = [added.stdout, (await run(["mcp", "list", "--json"], { env })).stdout].join("");
    for (const text of [shown, textBelow(join(own, "packages")), textBelow(join(own, "tools"))])
      expect(text).not.toMatch(/(query|header|variable)-secret/);
    expect(textBelow(join(own, "data"))).toMatch(/query-secret-1/);
  });

  test("tries HTTP with SSE, once, and says that it is deprecated", async () => {
    const server = await sseServer();
    const { run, call } = await mcpHome();
    const { exitCode, stderr } = await run(["mcp", "add", "old", server.url, "--yes"]);
    expect([exitCode, stderr]).toEqual([0, "old supports only HTTP with SSE, which MCP has deprecated.\n"]);
    expect((await call("mcp__old__echo", { message: "hi" })).envelope.result).toEqual({ output: "Echo: hi" });
    expect(server.calls).toBe(1);
    expect((await run(["mcp", "list"])).stdout).toMatch(/^old {2}sse {2}/);
  });

  test("uses the proxy of the environment, as requests to models do", async () => {
    const { port } = await httpServer();
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { pathname: path } = new URL(request.url ?? "");
      const { method, headers } = request;
      const onward = httpRequest({ host: "127.0.0.1", port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward.on("error", () => response.destroy()));
    });
    await new Promise<void>((settle) => proxy.listen(0, "127.0.0.1", settle));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const { run } = await mcpHome(env);
    const { exitCode, stderr } = await run(["mcp", "add", "web", "http://mcp.test/mcp", "--yes"]);
    expect([exitCode, stderr]).toEqual([
      0,
      "http://mcp.test/mcp is not encrypted: others on the network can read your calls.\n",
    ]);
    expect(asked).toContain("POST http://mcp.test/mcp");
  });

  test("names a proxy that cannot be reached, or may have sent a page with an error", async () => {
    const failing = createServer((_, response) => void response.writeHead(500).end("Unable to connect"));
    await new Promise<void>((settle) => failing.listen(0, "127.0.0.1", settle));
    onTestFinished(() => void failing.close());
    const { port } = failing.address() as AddressInfo;
    for (const [proxy, why] of [
      ["127.0.0.1:9", "Cannot reach the proxy 127.0.0.1:9: "],
      [`127.0.0.1:${port}`, `The proxy 127.0.0.1:${port}, or mcp.test behind it, responded with 500.`],
    ] as const) {
      const { run } = await mcpHome({ HTTP_PROXY: proxy });
      const { exitCode, stderr } = await run(["mcp", "add", "web", "http://mcp.test/mcp", "--yes"]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(why)]);
    }
  });

  test.each([
    [
      "a server that refuses connections",
      "http://127.0.0.1:9/mcp",
      "127.0.0.1:9 refused the connection. Is the server running?",
    ],
    ["another web server", "", "HTTP 404: no. Is this the URL of an MCP server? Its path is often /mcp.\n"],
  ])("fails for %s, and writes nothing", async (_, given, why) => {
    const { url } = await httpServer({ intercept: (_seen, response) => Boolean(response.writeHead(404).end("no")) });
    const { run, names } = await mcpHome();
    const { exitCode, stderr } = await run(["mcp", "add", "web", given || url, "--yes"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`The MCP server web cannot be used: ${why}`)]);
    expect([names("tools"), names("data"), names("packages")]).toEqual([[], [], []]);
  });

  test.each([
    [["web", "npx", "server"], "Put -- before the command"],
    [["web", "http://127.0.0.1:9", "more"], "Put -- before the command"],
    [["web", "ftp://127.0.0.1"], "Expected a URL that begins with https:// or http://"],
    [["web", "http://127.0.0.1:9", "--env", "A=b"], "--env is for programs."],
    [["--header", "A:b", "web", "--", "node"], "--header is for remote servers."],
    [["web", "http://127.0.0.1:9", "--header", "Ab"], "Expected --header K:V"],
    [["web", "http://127.0.0.1:9", "--header", "A b: c"], 'Expected "headers"'],
  ])("%j is a usage error", async (args, why) => {
    const { run } = await mcpHome();
    const { exitCode, stderr } = await run(["mcp", "add", "--yes", ...args]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
