// @module-tag tables
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { httpPackage, inspectHttp } from "./http-package.ts";
import { httpServer, type Seen } from "./http-server.ts";
import { logIn } from "./login.ts";

/** A server that wants a key and has no login: it answers nothing elsewhere, and says this to who has no key. */
function keyServer(words: string, elsewhere = 404, answer = "") {
  return httpServer({
    intercept({ path, headers }: Seen, response: ServerResponse) {
      const isHere = path === "/" || path === "/mcp";
      if (isHere && headers["x-api-key"] === "right") return false;
      response.writeHead(isHere ? 401 : elsewhere, { "content-type": "text/plain" }).end(isHere ? words : answer);
      return true;
    },
  });
}

describe("a server with a key and without a login", () => {
  test.each([
    [404, ""],
    [405, ""],
    [401, ""],
    [403, ""],
    [202, ""],
    [200, "<html>Hi</html>"],
    [200, '{"hello": 1}'],
  ])("says so when the user logs in (%i %s elsewhere)", async (status, answer) => {
    const { url } = await keyServer("", status, answer);
    const { dataDir } = await httpPackage(url);
    const { opened, last } = await logIn(url, { dataDir });
    const command = `ikigai mcp add test ${url} --header 'Authorization: Bearer \${KEY}'`;
    expect([opened, last.error]).toEqual([
      undefined,
      `The login to the MCP server test failed: It names no authorization server. If it wants a key, set KEY and add it so: ${command}`,
    ]);
  });

  test.each([
    ["", "(HTTP 401)"],
    ["The key is\nexpired", "(HTTP 401: The key is expired)"],
    ["<html>No</html>", "(HTTP 401)"],
  ])("says that the headers are wrong, in the server's words: %j", async (words, shown) => {
    const { url } = await keyServer(words);
    const headers = { "X-Api-Key": "wrong-key-1" };
    const error = `The MCP server test rejected the headers that you added it with ${shown}. Check them.`;
    expect(await inspectHttp(url, { headers })).toMatchObject({ error, error_code: "MISSING_CREDENTIALS" });
    const { call } = await httpPackage(url, { headers });
    expect(await call("echo", { message: "hi" })).toEqual({ error, error_code: "MISSING_CREDENTIALS" });
  });

  test("does not repeat a key that the server repeats", async () => {
    const { url } = await keyServer("no such key: wrong-key-1");
    const { error } = await inspectHttp(url, { headers: { "X-Api-Key": "wrong-key-1" } });
    expect(error).toContain("(HTTP 401: no such key: ");
    expect(error).not.toContain("wrong-key-1");
  });

  test("works with the right key", async () => {
    const { url } = await keyServer("");
    const { call } = await httpPackage(url, { headers: { "X-Api-Key": "right" } });
    expect(await call("echo", { message: "hi" })).toEqual({ output: "Echo: hi" });
  });
});
