// @module-tag sampled
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal, type TerminalOptions } from "./terminal.ts";

const key = "sk-setup-0123456789abcdef";
const configIn = (home: string) => join(home, ".ikigai/config.json");
const question = "Number (Enter for 1), Esc to continue without a model, Ctrl-C to quit:";

/** A provider that knows one key, or a server that asks for none and lists these models. */
async function startProvider(models: readonly string[], knownKey?: string) {
  const server = createServer((request, response) => {
    const sent = `${request.headers["x-api-key"]} ${request.headers.authorization}`;
    const isKnown = knownKey === undefined || sent.includes(knownKey);
    const isTags = request.url === "/api/tags";
    const body = isTags ? { models: models.map((name) => ({ name })) } : { data: models.map((id) => ({ id })) };
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? body : { error: { message: "bad key" } }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openNew(env: Readonly<Record<string, string>> = {}, options: TerminalOptions = {}) {
  const HOME = await tempDir();
  const terminal = await openTerminal([], { isNewHome: true, ...options, env: { HOME, ...env } });
  return { HOME, terminal };
}

test.each([[{}], [{ isFull: true }], [{ columns: 30 }], [{ isFull: true, columns: 30 }]])(
  "asks in a new home, takes offline, and never asks again: %j",
  async (options) => {
    const { HOME, terminal } = await openNew({ NO_COLOR: "1" }, options);
    expect(await terminal.waitFor(question.slice(0, 20))).toMatch(/^Which model should ikigai\suse\?\n/);
    terminal.type("8\r");
    await terminal.waitFor(/offline/);
    await terminal.waitFor(/Saved in/);
    expect(readFileSync(configIn(HOME), "utf8")).toContain('"model": "offline"');
    expect(statSync(configIn(HOME)).mode & 0o777).toBe(0o600);
    const again = await openTerminal([], { isNewHome: true, env: { HOME } });
    await again.waitForPrompt();
    expect(again.screen()).not.toContain("Which model");
  },
);

test("the arrows choose a number, from the usual one on", async () => {
  const { terminal } = await openNew();
  await terminal.waitFor(question);
  terminal.type("\u001b[B\u001b[B");
  await terminal.waitFor(/to quit: 3$/);
  terminal.type("\u001bOA");
  await terminal.waitFor(/to quit: 2$/);
  terminal.type("\u001b[B".repeat(9));
  await terminal.waitFor(/to quit: 8$/);
  terminal.type("\u001b[A\r");
  await terminal.waitFor("Base URL, for example");
});

test("opens without a model after Esc, and writes nothing", async () => {
  const { HOME, terminal } = await openNew();
  await terminal.waitFor(question);
  terminal.type("\u001b");
  await terminal.waitForPrompt();
  expect(existsSync(configIn(HOME))).toBe(false);
  terminal.type("run echo it works\r");
  await terminal.waitFor(/\nit works/);
});

test.each([
  ["\u0003", 130],
  ["\u0004", 0],
])("quits after %j with exit code %i, also below the menu, and writes nothing", async (typed, exitCode) => {
  for (const before of ["", "7\r"]) {
    const { HOME, terminal } = await openNew();
    await terminal.waitFor(question);
    terminal.type(before);
    if (before !== "") await terminal.waitFor("Base URL");
    terminal.type(typed);
    expect(await terminal.exitCode).toBe(exitCode);
    await terminal.waitFor("Nothing was changed.");
    expect(existsSync(configIn(HOME))).toBe(false);
  }
});

test("takes the address of a server, asks again for what is wrong, and talks to it", async () => {
  const model = await startModel([{ text: "Hello there." }], { contextWindow: 8_000 });
  const { HOME, terminal } = await openNew();
  await terminal.waitFor(question);
  terminal.type("7\r");
  await terminal.waitFor("Base URL, for example http://127.0.0.1:8080, Esc for the menu:");
  terminal.type("127.0.0.1:9\r");
  await terminal.waitFor("A base URL begins with http:// or https://, for example http://127.0.0.1:8080");
  await terminal.waitFor(/Esc for the menu: http:\/\/127\.0\.0\.1:9$/);
  expect(terminal.screen()).not.toContain("API key for");
  terminal.type("\r");
  await terminal.waitFor("API key for the OpenAI-compatible server (not shown; Enter for none), Esc for the menu:");
  terminal.type("\r");
  await terminal.waitFor(
    /127\.0\.0\.1:9 refused the connection[\s\S]*Use this server untested\? y\/N, Esc for the menu:/,
  );
  terminal.type("\r");
  await terminal.waitFor("Base URL [http://127.0.0.1:9], Esc for the menu:");
  terminal.type(`${model.env.OPENAI_COMPATIBLE_BASE_URL}\r`);
  await terminal.waitFor(/Enter for none[\s\S]*Enter for none/);
  terminal.type("\r");
  await terminal.waitFor(/Models:\n {2}1 {2}m\nModel \[m\], Esc for the menu:/);
  terminal.type("nope\r");
  await terminal.waitFor('The server has no model "nope". It has: m');
  terminal.type("\r");
  await terminal.waitForPrompt();
  terminal.type("hi\r");
  await terminal.waitFor("Hello there.");
  expect(JSON.parse(readFileSync(configIn(HOME), "utf8"))).toEqual({
    model: "openai-compatible/m",
    providers: { "openai-compatible": { baseUrl: model.env.OPENAI_COMPATIBLE_BASE_URL } },
  });
});

test("takes a key that the provider accepts, without showing it", async () => {
  const ANTHROPIC_BASE_URL = `http://${await startProvider(["claude-x", "claude-y"], key)}`;
  const { HOME, terminal } = await openNew({ ANTHROPIC_BASE_URL });
  await terminal.waitFor(question);
  terminal.type("1\r");
  await terminal.waitFor("API key for Anthropic (not shown), Esc for the menu:");
  terminal.type("sk-wrong-key-123\r");
  await terminal.waitFor(/rejected the API key \(401\)[\s\S]*API key for Anthropic/);
  expect(existsSync(join(HOME, ".ikigai/credentials.json"))).toBe(false);
  terminal.type("\r");
  await terminal.waitFor(/Number[\s\S]*Number/);
  terminal.type("1\r");
  await terminal.waitFor(/(not shown[\s\S]*){3}/);
  terminal.type("a key\r");
  await terminal.waitFor("This is not an API key");
  terminal.type(`${key}\r`);
  await terminal.waitFor("Model [claude-x], Esc for the menu:");
  terminal.type("claude-y\r");
  await terminal.waitForPrompt();
  expect(readFileSync(configIn(HOME), "utf8")).toContain("anthropic/claude-y");
  expect(readFileSync(configIn(HOME), "utf8")).not.toContain(key);
  expect(terminal.raw()).not.toMatch(/sk-setup|sk-wrong/);
});

test("keeps the URL when the key is rejected, and asks for a refused key again", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `toy-${index}`);
  const url = `http://${await startProvider(names, key)}`;
  const { HOME, terminal } = await openNew();
  await terminal.waitFor(question);
  terminal.type("http://127.0.0.1:9\r");
  await terminal.waitFor("Enter for none");
  terminal.type(`${key}x\r`);
  await terminal.waitFor("The key was not tested. Store it anyway? y/N");
  terminal.type("n\r");
  await terminal.waitFor("Base URL [http://127.0.0.1:9]");
  terminal.type(`${url}\r`);
  await terminal.waitFor(/Enter for none[\s\S]*Enter for none/);
  terminal.type(`${key}\r`);
  await terminal.waitFor("Models:\n  1  toy-0\n  2  toy-1\n");
  expect(terminal.screen()).toContain("  10 toy-9\n… 2 more, by name\nModel [toy-0], Esc");
  terminal.type("\u001b");
  await terminal.waitFor(/Number[\s\S]*Number/);
  expect(existsSync(join(HOME, ".ikigai/credentials.json"))).toBe(false);
  terminal.type(`${url}\r`);
  await terminal.waitFor(/(Enter for none[\s\S]*){3}/);
  terminal.type("sk-wrong-key-123\r");
  await terminal.waitFor("API key for the OpenAI-compatible server (not shown), Esc for the menu:");
  terminal.type(`${key}\r`);
  await terminal.waitFor(/Model \[[\s\S]*Model \[toy-0\], Esc/);
  terminal.type("\r");
  await terminal.waitForPrompt();
  expect(JSON.parse(readFileSync(configIn(HOME), "utf8")).providers["openai-compatible"].baseUrl).toBe(url);
  expect(terminal.raw()).not.toMatch(/sk-setup|sk-wrong/);
});

test("stores a key that cannot be tested only when the user says so", async () => {
  const { HOME, terminal } = await openNew({ OPENAI_BASE_URL: "http://127.0.0.1:9" });
  await terminal.waitFor(question);
  terminal.type("2\r");
  await terminal.waitFor("API key for OpenAI (not shown), Esc for the menu:");
  terminal.type(`${key}\r`);
  await terminal.waitFor("Store it anyway? y/N");
  terminal.type("\r");
  await terminal.waitFor(/(API key for OpenAI[\s\S]*){2}/);
  terminal.type(`${key}\r`);
  await terminal.waitFor(/Store it anyway[\s\S]*Store it anyway\? y\/N/);
  terminal.type("y\r");
  await terminal.waitFor(/Model \[gpt-.*\], Esc/);
  terminal.type("\r");
  await terminal.waitForPrompt();
  expect(Object.keys(JSON.parse(readFileSync(join(HOME, ".ikigai/credentials.json"), "utf8")))).toEqual(["openai"]);
  expect(terminal.raw()).not.toContain(key);
});

test("offers other providers below the common ones, and asks Azure's for its URL", async () => {
  const { HOME, terminal } = await openNew({
    GROQ_BASE_URL: `http://${await startProvider(["openai/gpt-oss-120b", "other"], key)}`,
  });
  await terminal.waitFor(question);
  terminal.type("6\r");
  await terminal.waitFor(/1 {2}OpenRouter\n {2}2 {2}Groq\n[\s\S]*Number \(Enter for 1\), Esc for the menu:/);
  terminal.type("azure\r");
  await terminal.waitFor(
    /Azure OpenAI needs a base URL[\s\S]*Base URL, for example https:\/\/NAME\.openai\.azure\.com/,
  );
  terminal.type("\u001b");
  await terminal.waitFor(/Base URL[\s\S]*Which model should ikigai use/);
  terminal.type("6\r");
  await terminal.waitFor(/Which provider\?[\s\S]*Which provider\?[\s\S]*Esc for the menu:/);
  terminal.type("2\r");
  await terminal.waitFor("API key for Groq");
  terminal.type(`${key}\r`);
  await terminal.waitFor("Model [openai/gpt-oss-120b], Esc");
  terminal.type("\r");
  await terminal.waitFor("Saved in");
  expect(readFileSync(configIn(HOME), "utf8")).toContain('"model": "groq/openai/gpt-oss-120b"');
});

test("says what to type at the menu, and wraps it at spaces", async () => {
  const { terminal } = await openNew({}, { columns: 40 });
  await terminal.waitFor(question);
  expect(terminal.screen()).toContain("\n  8  Offline: no language model, only\n     simple commands\n");
  for (const [index, typed] of ["hello", "9"].entries()) {
    terminal.type(`${typed}\r`);
    await terminal.waitFor(new RegExp(`(Type a number from 1 to 8\\.[\\s\\S]*Number[\\s\\S]*){${index + 1}}`));
  }
  terminal.type("7\r");
  await terminal.waitFor("Base URL");
  terminal.type("\r");
  await terminal.waitFor("No base URL was typed.");
});

test("marks the current choice, and shows the server that is configured", async () => {
  const HOME = await tempDir();
  const text =
    '{"model":"openai-compatible/m","providers":{"openai-compatible":{"baseUrl":"http://me:secret@host:1/v1"}}}';
  mkdirSync(join(HOME, ".ikigai"), { mode: 0o700 });
  writeFileSync(configIn(HOME), text, { mode: 0o600 });
  const terminal = await openTerminal(["setup"], { env: { HOME } });
  await terminal.waitFor("Number (Enter for 1), Esc to change nothing:");
  expect(terminal.screen()).toMatch(/1 {2}The OpenAI-compatible server at http:.*@?host:1\/v1 \(current\)\n/);
  expect(terminal.screen()).not.toContain("secret");
  terminal.type("\u001b");
  expect(await terminal.exitCode).toBe(130);
  expect(readFileSync(configIn(HOME), "utf8")).toBe(text);
});

test("offers a running Ollama and keys that are found", async () => {
  const OLLAMA_HOST = await startProvider(["qwen3"]);
  const { HOME, terminal } = await openNew({ OLLAMA_HOST });
  await terminal.waitFor(`1  Ollama (at ${OLLAMA_HOST})`);
  terminal.type("\r");
  await terminal.waitFor("Model [qwen3], Esc for the menu:");
  terminal.type("\r");
  await terminal.waitFor("Saved in ~/.ikigai/config.json: model = ollama/qwen3");
  const found = await openTerminal(["setup"], { env: { HOME, OPENAI_API_KEY: key } });
  await found.waitFor("1  OpenAI (key from OPENAI_API_KEY)");
  found.type("\u001b");
  expect(await found.exitCode).toBe(130);
  expect(found.screen()).toContain("Nothing was changed.");
});

test("offers a key of the environment first, and uses it after Esc without writing anything", async () => {
  const HOME = await tempDir();
  const terminal = await openTerminal([], { isNewHome: true, env: { HOME, OPENAI_API_KEY: key } });
  await terminal.waitFor("1  OpenAI (key from OPENAI_API_KEY)");
  terminal.type("\u001b");
  await terminal.waitForPrompt();
  expect(terminal.screen()).toContain("openai/");
  expect(existsSync(join(HOME, ".ikigai/config.json"))).toBe(false);
});

test("asks nothing with --model", async () => {
  const terminal = await openTerminal(["--model", "offline"], { isNewHome: true, env: { HOME: await tempDir() } });
  await terminal.waitForPrompt();
  expect(terminal.screen()).not.toContain("Which model");
});

test("wants a terminal", async () => {
  const { exitCode, stderr } = await ikigai(["setup"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Not a terminal: use ikigai config set model PROVIDER/MODEL, and ikigai login PROVIDER.");
});

test("lists the models that can be used, and says what is wrong with the others", async () => {
  const HOME = await tempDir();
  const ANTHROPIC_BASE_URL = `http://${await startProvider(["claude-x", "text-embedding"], key)}`;
  const OLLAMA_HOST = await startProvider(["qwen3"]);
  const env = { HOME, ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: key, OPENAI_API_KEY: "sk-x", OLLAMA_HOST };
  const all = { ...env, OPENAI_BASE_URL: "http://127.0.0.1:9" };
  const { exitCode, stdout } = await ikigai(["models"], { env: all });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("  anthropic/claude-x\n");
  expect(stdout).not.toContain("embedding");
  expect(stdout).toMatch(/openai \(key from OPENAI_API_KEY.*\)\n {2}127\.0\.0\.1:9 refused the connection/);
  expect(stdout).toContain("  ollama/qwen3\n");
  expect(stdout.indexOf("ollama/qwen3")).toBeLessThan(stdout.indexOf("openai (key from"));
  expect(stdout).toMatch(/\nNot set up .*\n {2}google +GEMINI_API_KEY\n {2}openrouter +OPENROUTER_API_KEY\n/);
  expect(stdout).toMatch(/ {2}azure +AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT\n/);
  const json = JSON.parse((await ikigai(["models", "anthropic", "--json"], { env: all })).stdout);
  expect(json.providers).toEqual([expect.objectContaining({ provider: "anthropic", models: ["anthropic/claude-x"] })]);
  const down = { ...all, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  const later = await ikigai(["models", "anthropic"], { env: down });
  expect(later.exitCode).toBe(1);
  expect(later.stdout).not.toContain("claude-x");
  expect((await ikigai(["models", "antropic"], { env })).stderr).toContain("Did you mean anthropic?");
});

test("models fails if no server that is set up answers, and does not say that none is set up", async () => {
  const OPENAI_COMPATIBLE_BASE_URL = "http://127.0.0.1:9/v1";
  const { exitCode, stdout } = await ikigai(["models"], { env: { OPENAI_COMPATIBLE_BASE_URL } });
  expect(exitCode).toBe(1);
  expect(stdout).toContain("127.0.0.1:9 refused the connection");
  expect(stdout).toContain("\nNo default model: openai-compatible does not list its models.\n");
  expect(stdout).not.toContain("No model is set up");
  expect(await ikigai(["models"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("No model is set up"),
  });
  const { stdout: withoutKey } = await ikigai(["models", "anthropic"]);
  expect(withoutKey).toMatch(/ANTHROPIC_API_KEY[\s\S]*\nNo model is set up\. To choose one: ikigai setup\n$/);
});
