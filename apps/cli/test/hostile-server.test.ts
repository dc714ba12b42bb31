// Promise 8 of SECURITY.md.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

/** A server that answers every request with this. */
async function startServer(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end(body));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const oddList = JSON.stringify({ models: [null, 7, { name: "tiny", details: { family: { toString: 1 } } }] });

test("an Ollama whose list has entries that are not models stops no command", async () => {
  const env = { OLLAMA_HOST: await startServer(200, oddList) };
  const listed = await ikigai(["models"], { env });
  expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
  expect(listed.stdout).toContain("ollama/tiny\n");
  const printed = await ikigai(["-p", "hi"], { env });
  expect(printed.exitCode).toBe(1);
  const first = await openTerminal([], { isNewHome: true, env });
  await first.waitFor("Which model should ikigai use?");
});

test("a body that nests without end stops neither models nor login", async () => {
  const url = `http://${await startServer(500, "[".repeat(1_000_000) + "]".repeat(1_000_000))}`;
  const env = { OPENAI_API_KEY: "sk-hostile-0123456789", OPENAI_BASE_URL: url };
  const listed = await ikigai(["models", "openai"], { env });
  expect(listed.exitCode).toBe(1);
  expect(listed.stdout).toContain("OpenAI is unavailable (500)");
  const stored = await ikigai(["login", "openai"], { env: { OPENAI_BASE_URL: url }, stdin: "sk-hostile-0123456789\n" });
  expect(`${stored.exitCode} ${stored.stderr}`).not.toMatch(/^70|RangeError/);
});

test("models --json escapes what would control a terminal", async () => {
  const name = "m\u009b31m\u202e\u200b";
  const env = {
    OPENAI_API_KEY: "sk-hostile-0123456789",
    OPENAI_BASE_URL: `http://${await startServer(200, JSON.stringify({ data: [{ id: name }, { id: "é" }] }))}`,
  };
  const { exitCode, stdout } = await ikigai(["models", "openai", "--json"], { env });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("m\\u009b31m\\u202e\\u200b");
  expect(stdout).toContain("é");
  expect(stdout).not.toMatch(/[\u0080-\u009f\u200b\u202e]/);
  expect(JSON.parse(stdout).providers[0].models).toContain(`openai/${name}`);
});

test("a provider without a key is asked nothing", async () => {
  let requests = 0;
  const server = createServer((_, response) => response.writeHead(401, { "x-count": String(++requests) }).end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { exitCode, stdout } = await ikigai(["models", "anthropic"], { env });
  expect([exitCode, requests]).toEqual([1, 0]);
  expect(stdout).toContain("Anthropic needs an API key: run ikigai login anthropic, or set ANTHROPIC_API_KEY.");
});
