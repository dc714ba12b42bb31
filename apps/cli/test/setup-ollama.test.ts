// @module-tag sampled
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

/** Ollama with these models, which may change; returns its address. */
async function startOllama(models: string[]) {
  const server = createServer((request, response) => {
    const isTags = request.url === "/api/tags";
    response.writeHead(isTags ? 200 : 404).end(JSON.stringify({ models: models.map((name) => ({ name })) }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("setup says that a running Ollama has no model, and takes one that has been fetched since", async () => {
  const models: string[] = [];
  const OLLAMA_HOST = await startOllama(models);
  const HOME = await tempDir();
  const terminal = await openTerminal([], { isNewHome: true, columns: 160, env: { HOME, OLLAMA_HOST } });
  await terminal.waitFor(`1  Ollama (at ${OLLAMA_HOST}, without a model)`);
  terminal.type("1\r");
  await terminal.waitFor("Ollama has no model. Fetch one in another shell, for example with ollama pull qwen3");
  expect(existsSync(join(HOME, ".ikigai/config.json"))).toBe(false);
  models.push("qwen3");
  terminal.type("1\r");
  await terminal.waitFor("Model [qwen3], Esc for the menu:");
  terminal.type("\r");
  await terminal.waitFor("model = ollama/qwen3");
});

test("models and /model say how to fetch a model for a running Ollama", async () => {
  const env = { HOME: await tempDir(), OLLAMA_HOST: await startOllama([]) };
  expect((await ikigai(["models"], { env })).stdout).toContain("It has no model. To fetch one: ollama pull NAME");
  const { stdout } = await ikigai(["--model", "offline"], { env, typed: "/model ollama/qwen3\n" });
  expect(stdout).toContain("Ollama has no model. To fetch one, in a shell: ollama pull qwen3");
  const stopped = await ikigai(["models", "ollama"], { env: { ...env, OLLAMA_HOST: "127.0.0.1:9" } });
  expect([stopped.exitCode, stopped.stdout]).toEqual([1, expect.stringContaining("No Ollama answers at 127.0.0.1:9.")]);
});

test("setup says that a name is not tested by a server that lists no models", async () => {
  const server = createServer((_, response) => response.end('{"object":"list","data":[]}'));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const HOME = await tempDir();
  const OPENAI_COMPATIBLE_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const terminal = await openTerminal([], { isNewHome: true, columns: 160, env: { HOME, OPENAI_COMPATIBLE_BASE_URL } });
  await terminal.waitFor("1  The OpenAI-compatible server at");
  terminal.type("1\r");
  await terminal.waitFor("The server has listed no models, so the name is not tested.");
});
