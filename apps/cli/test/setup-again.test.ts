// @module-tag sampled
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { openTerminal } from "./terminal.ts";

const key = "sk-again-0123456789abcdef";
const configIn = (home: string) => join(home, ".ikigai/config.json");

/** A provider that answers with this status, and lists these models; both can be changed. */
async function startProvider(status: number, models: string[]) {
  const state = { status, models };
  const server = createServer((_, response) => {
    const body = state.status === 200 ? { data: state.models.map((id) => ({ id })) } : { error: { message: "no" } };
    response.writeHead(state.status).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function homeWith(config: object): Promise<string> {
  const home = await tempDir();
  mkdirSync(join(home, ".ikigai"), { mode: 0o700 });
  writeFileSync(configIn(home), JSON.stringify(config), { mode: 0o600 });
  return home;
}

test("returns to the menu after a failed test, with the reason shown and the choice selected", async () => {
  const HOME = await homeWith({ model: "offline" });
  const { state, url } = await startProvider(401, ["gpt-5.5", "gpt-other"]);
  const env = { HOME, OPENAI_BASE_URL: url, OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
  const terminal = await openTerminal(["setup"], { env });
  await terminal.waitFor("2  OpenAI (key from OPENAI_API_KEY)");
  await terminal.waitFor("8  Offline: no language model, only simple commands (current)");
  terminal.type("2\r");
  const screen = await terminal.waitFor("Number (Enter for 2), Esc to change nothing:");
  expect(screen).toMatch(
    /OpenAI rejected the API key \(401\)[\s\S]*This key comes from OPENAI_API_KEY[\s\S]*Which model/,
  );
  expect(readFileSync(configIn(HOME), "utf8")).toBe('{"model":"offline"}');
  state.status = 200;
  terminal.type("\r");
  await terminal.waitFor("Model [gpt-5.5], Esc for the menu:");
  terminal.type("gpt-other\r");
  await terminal.waitFor("Saved in ~/.ikigai/config.json: model = openai/gpt-other");
});

test("asks again for a stored key that is rejected, and keeps the old one until the new one works", async () => {
  const HOME = await tempDir();
  const { state, url } = await startProvider(401, ["gpt-5.5"]);
  const env = { HOME, OPENAI_BASE_URL: url, PATH: "/usr/bin:/bin" };
  await ikigai(["login", "openai", "--no-check"], { env, stdin: key });
  const stored = readFileSync(join(HOME, ".ikigai/credentials.json"), "utf8");
  const terminal = await openTerminal(["setup"], { env });
  await terminal.waitFor("1  OpenAI (key from ~/.ikigai/credentials.json)");
  terminal.type("\r");
  await terminal.waitFor(/rejected the API key \(401\)[\s\S]*API key for OpenAI \(not shown\), Esc/);
  expect(readFileSync(join(HOME, ".ikigai/credentials.json"), "utf8")).toBe(stored);
  state.status = 200;
  terminal.type(`${key}-new\r`);
  await terminal.waitFor("Model [gpt-5.5], Esc for the menu:");
  terminal.type("\r");
  await terminal.waitFor("Saved in");
  expect(readFileSync(join(HOME, ".ikigai/credentials.json"), "utf8")).toContain(`${key}-new`);
});

test.each([
  ["n", undefined],
  ["y", "openai-compatible/m2"],
])("takes a configured server that is down only after a yes: %s", async (answer, model) => {
  const HOME = await homeWith({ providers: { "openai-compatible": { baseUrl: "http://127.0.0.1:9" } } });
  const terminal = await openTerminal(["setup"], { env: { HOME } });
  await terminal.waitFor("The OpenAI-compatible server at http://127.0.0.1:9");
  terminal.type("\r");
  await terminal.waitFor(/127\.0\.0\.1:9 refused the connection[\s\S]*Use it untested\? y\/N/);
  terminal.type(`${answer}\r`);
  await terminal.waitFor(
    answer === "y" ? "Model, Esc for the menu:" : /Number \(Enter for 1\)[\s\S]*Number \(Enter for 1\)/,
  );
  terminal.type(answer === "y" ? "m2\r" : "\u001b");
  expect(await terminal.exitCode).toBe(answer === "y" ? 0 : 130);
  expect(JSON.parse(readFileSync(configIn(HOME), "utf8")).model).toBe(model);
});

test("offers one of the list for a configured model that is not in it", async () => {
  const { url } = await startProvider(200, ["m1", "m2"]);
  const providers = { "openai-compatible": { baseUrl: url } };
  const HOME = await homeWith({ model: "openai-compatible/gone", providers });
  const { stdout } = await ikigai(["models"], { env: { HOME } });
  expect(stdout).toContain("Default: openai-compatible/gone, which openai-compatible does not list.");
  expect(stdout).toContain("To choose another: ikigai setup");
  const terminal = await openTerminal(["setup"], { env: { HOME } });
  await terminal.waitFor("(current)");
  terminal.type("\r");
  await terminal.waitFor(
    /gone, the current model, is not in the server's list\.\nModels:\n {2}1 {2}m1\n {2}2 {2}m2\nModel \[m1\], Esc/,
  );
  terminal.type("2\r");
  await terminal.waitFor("Saved in");
  const again = await openTerminal(["setup"], { env: { HOME } });
  await again.waitFor("(current)");
  again.type("\r");
  await again.waitFor("Models:\n  1  m2\n  2  m1\nModel [m2], Esc");
  again.type("\u001b\u001b");
});

test("says that a server without a list of models has none", async () => {
  const { url } = await startProvider(404, []);
  const HOME = await tempDir();
  const { stdout } = await ikigai(["models"], { env: { HOME, OPENAI_COMPATIBLE_BASE_URL: url } });
  expect(stdout).toContain(`${url.slice(7)} has no list of models at this URL (404). Some servers have no such list`);
  expect(existsSync(join(HOME, ".ikigai/cache/models.json"))).toBe(false);
});

test("does not show the models of another server as listed before", async () => {
  const HOME = await tempDir();
  const [one, other] = [await startProvider(200, ["m1"]), await startProvider(503, [])];
  const listed = async (url: string) =>
    (await ikigai(["models", "openai-compatible"], { env: { HOME, OPENAI_COMPATIBLE_BASE_URL: url } })).stdout;
  expect(await listed(one.url)).toContain("* openai-compatible/m1\n");
  expect(await listed(other.url)).not.toContain("m1");
  one.state.status = 503;
  expect(await listed(`${one.url}/v1/`)).toMatch(/Listed before:\n. openai-compatible\/m1\n/);
});

test.each([
  ["asks as long as there is no session and no model", {}, [], true],
  ["asks when no message was sent in the conversations so far", {}, ["sessions/"], true],
  ["does not ask when a model is configured", { model: "offline" }, [], false],
  ["does not ask when there are sessions", {}, ["sessions/", "sessions/20260101-000000-00000000.jsonl"], false],
  ["does not ask when the sessions cannot be read", {}, ["sessions"], false],
] as const)("at the start it %s", async (_, config, paths, asks) => {
  const HOME = await homeWith(config);
  for (const path of paths.map((name) => join(HOME, ".ikigai", name)))
    if (path.endsWith("/")) mkdirSync(path, { mode: 0o700 });
    else writeFileSync(path, "");
  const terminal = await openTerminal([], { isNewHome: true, env: { HOME } });
  if (asks) return void (await terminal.waitFor("Which model should ikigai use?"));
  await terminal.waitForPrompt();
  expect(terminal.screen()).not.toContain("Which model");
});
