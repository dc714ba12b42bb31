// @module-tag sampled
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBubblewrap } from "./has-bubblewrap.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

/** A web site on loopback, which `IKIGAI_WEB_ALLOW` opens, and a user with this configuration. */
async function place(config: object = {}) {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    response.writeHead(200, { "content-type": "text/plain" }).end("the page");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const root = await tempDir({
    "home/.ikigai/config.json": { content: JSON.stringify(config), mode: 0o600 },
    "project/": "",
    "temp/": "",
  });
  const env = { HOME: join(root, "home"), TMPDIR: join(root, "temp"), IKIGAI_WEB_ALLOW: host };
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    ikigai(args, { cwd: join(root, "project"), env: { ...env, ...more } });
  const fetch = async () => JSON.parse((await run(["tool", "call", "web_fetch", `{"url":"http://${host}/"}`])).stdout);
  return { host, requests, root, run, fetch };
}

test("fetches a page that the user's environment opens", async () => {
  const { fetch, root } = await place();
  expect(await fetch()).toMatchObject({ tool_success: true, result: { output: "the page", status: 200 } });
  expect(readdirSync(join(root, "home/.cache/ikigai/web"))).toHaveLength(1);
});

test("a rule that spells an address of this machine opens it", async () => {
  const { host, run } = await place();
  const step = { calls: [{ name: "web_fetch", arguments: { url: `http://${host}/` } }] };
  const { env, requests } = await startModel([step, { text: "Done." }]);
  const rule = `host(localhost:${host.split(":")[1]})`;
  await run(["-p", "x", "--model", "openai-compatible/m", "--allow", rule], { ...env, IKIGAI_WEB_ALLOW: "" });
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("the page");
});

test("a rule about a host allows its pages, and no others", async () => {
  const { host, requests, run } = await place();
  const calls = [{ name: "web_fetch", arguments: { url: `http://${host}/a` } }];
  for (const [rule, wanted] of [
    [`web_fetch(domain:${host})`, ["/a"]],
    ["web_fetch(domain:docs.rs)", []],
  ] as const) {
    requests.length = 0;
    const { env } = await startModel([{ calls }]);
    const { exitCode } = await run(["--model", "openai-compatible/test", "--allow", rule, "-p", "go"], env);
    expect([rule, exitCode, requests]).toEqual([rule, 0, wanted]);
  }
});

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap)", () => {
  test("reaches no port of this machine, and says which rule opens it", async () => {
    const { fetch, requests, host } = await place({ sandbox: { enabled: true, network: true } });
    const { tool_success, result } = await fetch();
    expect([tool_success, result.error_code, requests]).toEqual([true, "CONNECT_FAILED", []]);
    expect(JSON.stringify(result.help)).toContain(`the rule host(localhost:${host.split(":")[1]})`);
  });

  test("says which host is refused, and which rule allows it", async () => {
    const { run } = await place({ sandbox: { enabled: true } });
    const { stdout } = await run(["tool", "call", "web_fetch", '{"url":"https://one.example.com/"}']);
    expect(JSON.parse(stdout).result).toMatchObject({
      error: "Blocked: host one.example.com: not allowed; the rule host(one.example.com).",
      error_code: "CONNECT_FAILED",
    });
  });

  test("has it if that rule opens it, and keeps no pages", async () => {
    const { fetch, requests, root, host } = await place({ sandbox: { enabled: true } });
    const rules = [{ allow: `host(localhost:${host.split(":")[1]})` }];
    writeFileSync(
      join(root, "home/.ikigai/config.json"),
      JSON.stringify({ sandbox: { enabled: true }, permission: { rules } }),
    );
    for (let calls = 0; calls < 2; calls++) expect(await fetch()).toMatchObject({ result: { output: "the page" } });
    expect(requests).toEqual(["/", "/"]);
    expect(readdirSync(join(root, "home"))).toEqual([".ikigai"]);
  });
});
