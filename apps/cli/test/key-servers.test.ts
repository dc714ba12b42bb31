// Promise 7 of SECURITY.md.
// @module-tag sampled
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const key = "sk-servers-0123456789abcdef";

/** A server that lists models, and keeps the keys that it gets. */
async function startServer(models: readonly string[] = ["m"]) {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

test.each(["openai", "openai-compatible"])(
  "a stored key of %s goes to its server, and to no other",
  async (provider) => {
    const HOME = await tempDir();
    const [own, other] = [await startServer(), await startServer()];
    const variable = provider === "openai" ? "OPENAI_BASE_URL" : "OPENAI_COMPATIBLE_BASE_URL";
    const env = { HOME, [variable]: own.url };
    await ikigai(["login", provider], { env, stdin: key });
    const hostile = { HOME, [variable]: other.url };
    const listed = await ikigai(["models", provider], { env: hostile });
    await ikigai(["models"], { env: hostile });
    const printed = await ikigai(["-p", "hi", "--model", `${provider}/m`], { env: hostile });
    expect(other.keys.filter((sent) => sent !== undefined)).toEqual([]);
    if (provider === "openai") {
      const problem = `The key of OpenAI was not sent to the base URL in ${variable}`;
      expect([listed.exitCode, listed.stdout]).toEqual([1, expect.stringContaining(problem)]);
      expect([printed.exitCode, printed.stderr]).toEqual([1, expect.stringContaining(problem)]);
      const status = await ikigai(["login", "--status"], { env: hostile });
      expect(status.stdout).toContain("key from ~/.ikigai/credentials.json, not sent to OPENAI_BASE_URL\n");
      expect((await ikigai(["doctor"], { env: hostile })).stdout).toContain("not sent to OPENAI_BASE_URL");
    }
    const good = await ikigai(["models", provider], { env });
    expect([good.exitCode, own.keys.at(-1)]).toEqual([0, `Bearer ${key}`]);
    const config = JSON.stringify({ providers: { [provider]: { baseUrl: other.url } } });
    const told = await tempDir({ ".ikigai/config.json": config });
    await ikigai(["login", provider, "--no-check"], { env: { HOME: told }, stdin: key });
    await ikigai(["models", provider], { env: { HOME: told } });
    expect(other.keys.at(-1)).toBe(`Bearer ${key}`);
  },
);

test("a model named like the key is neither printed nor remembered", async () => {
  const HOME = await tempDir();
  const { url } = await startServer([`x-${key}`, "fine"]);
  const env = { HOME, OPENAI_BASE_URL: url, OPENAI_API_KEY: key };
  const { stdout } = await ikigai(["models", "openai"], { env });
  const remembered = readFileSync(join(HOME, ".ikigai/cache/models.json"), "utf8");
  for (const text of [stdout, remembered]) {
    expect(text).toContain("openai/fine");
    expect(text).not.toContain(key);
  }
});

test("shows and remembers 500 models of a provider, and lists all with --json", async () => {
  const HOME = await tempDir();
  const { url } = await startServer(Array.from({ length: 501 }, (_, index) => `m${index}`));
  const env = { HOME, OPENAI_BASE_URL: url, OPENAI_API_KEY: key };
  const { stdout } = await ikigai(["models", "openai"], { env });
  expect(stdout).toContain("openai/m499\n  … and 1 more (--json lists all)\n");
  const remembered = JSON.parse(readFileSync(join(HOME, ".ikigai/cache/models.json"), "utf8"));
  expect(remembered).toEqual({ [`openai ${url}/v1`]: expect.objectContaining({ length: 500 }) });
  const { stdout: json } = await ikigai(["models", "openai", "--json"], { env });
  expect(JSON.parse(json).providers[0].models).toHaveLength(501);
});
