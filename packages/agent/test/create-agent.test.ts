// @module-tag tables
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { type AgentOptions, createAgent, type LanguageModel, type Question } from "../src/index.ts";
import { shellTool } from "./agent-setup.ts";
import { endOf, eventsOf, touches, world } from "./agent-world.ts";
import { status } from "./model-server.ts";
import { secret } from "./providers.ts";

test("yields the events of a turn in order, the end last", async () => {
  const { agent, project } = await world([touches, { text: "Done." }], { permission: { mode: "allow" } });
  const events = await eventsOf(agent);
  const types = events.map(({ type }) => type).filter((type) => type !== "text");
  const call = ["tool_call_start", "tool_call", "step_end", "tool_start", "tool_result"];
  expect(types).toEqual(["user", ...call, "step_end", "turn_end"]);
  expect(endOf(events)).toMatchObject({ reason: "done", text: "Done.", steps: 2 });
  expect(existsSync(join(project, "ran"))).toBe(true);
});

test("hands over the end of a job between turns, or waits for it if the model does", async () => {
  const toolsDir = fileURLToPath(new URL("../../../apps/cli/libexec/ikigai", import.meta.url));
  const start = (command: string) => ({
    calls: [{ name: "bash", arguments: JSON.stringify({ command, background: true }) }],
  });
  const permission = { mode: "allow" } as const;
  const ended: string[] = [];
  const onJobEnd = (message: string) => void ended.push(message);
  const one = await world(
    [start("until [ -e go ]; do sleep 0.1; done; echo built"), { text: "Started." }, { text: "Seen." }],
    { permission, toolsDir, onJobEnd },
  );
  await eventsOf(one.agent);
  expect(ended).toEqual([]);
  writeFileSync(join(one.project, "go"), "");
  await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(1);
  expect(ended[0]).toMatch(/^\[ikigai\] job 1 \(until .*\) ended: exit 0[\s\S]*built/);
  expect(endOf(await eventsOf(one.agent, ended[0])).text).toBe("Seen.");
  await one.agent.close();

  const wait = { calls: [{ name: "job", arguments: '{"action":"wait","job":1,"timeout_ms":100}' }] };
  const replies = [start("sleep 5"), wait, { text: "I wait." }, { text: "Seen." }];
  const other = await world(replies, { permission, toolsDir, waitsForJobs: true });
  expect(endOf(await eventsOf(other.agent)).text).toBe("Seen.");
  await other.agent.close();
});

test("denies calls that need a question when there is no ask function", async () => {
  const { agent, project } = await world([touches, { text: "No." }]);
  const result = (await eventsOf(agent)).find((event) => event.type === "tool_result");
  expect(result?.envelope).toMatchObject({
    tool_success: false,
    error_code: "TOOL_DENIED",
    error:
      "This call needs permission, and this run is not interactive. " +
      'To allow it: { verdict: "allow", rule: "touch_it" } in permission.rules',
  });
  expect(existsSync(join(project, "ran"))).toBe(false);
});

test.each([true, false])("asks about a call; the answer %j decides", async (allow) => {
  const questions: Question[] = [];
  const ask = async (question: Question) => {
    questions.push(question);
    return { allow };
  };
  const { agent, project } = await world([touches, { text: "." }], { permission: { ask } });
  await eventsOf(agent);
  expect(questions.map(({ call, rule }) => [call.name, rule])).toEqual([["touch_it", "touch_it"]]);
  expect(existsSync(join(project, "ran"))).toBe(allow);
});

test("checks its own rules before the configured ones", async () => {
  const config = '{"permission": {"mode": "deny", "rules": [{"deny": "touch_it"}]}}';
  const rules = [{ verdict: "allow", rule: "touch_it" }] as const;
  const files = { "config.json": config };
  const allowed = await world([touches, { text: "." }], { permission: { rules } }, files);
  await eventsOf(allowed.agent);
  expect(existsSync(join(allowed.project, "ran"))).toBe(true);
  const denied = await world([touches, { text: "." }], { permission: { mode: "allow" } }, files);
  await eventsOf(denied.agent);
  expect(existsSync(join(denied.project, "ran"))).toBe(false);
});

test("runs no tools of a project that the user does not trust", async () => {
  const files = { ".ikigai/tools/evil-tool": "#!/bin/sh\ntouch evil-ran\n" };
  const { agent, project } = await world(
    [{ calls: [{ name: "evil", arguments: "{}" }] }, { text: "." }],
    {
      permission: { mode: "allow" },
    },
    files,
  );
  const result = (await eventsOf(agent)).find((event) => event.type === "tool_result");
  expect(result?.envelope).toMatchObject({ tool_success: false });
  expect(agent.notices.join("\n")).toMatch(/'evil'.*untrusted/);
  expect(existsSync(join(project, "evil-ran"))).toBe(false);
});

test("keeps keys out of events and the session file", async () => {
  const word = "own-secret-word-123";
  const prints = shellTool("leak", `echo '{"key": "${secret}", "word": "${word}"}'`);
  const { agent, home } = await world(
    [{ calls: [{ name: "leak", arguments: "{}" }] }, { text: "." }],
    { permission: { mode: "allow" }, secrets: [word] },
    { "tools/leak-tool": prints },
  );
  const shown = JSON.stringify(await eventsOf(agent));
  const written = readFileSync(join(home, "sessions", `${agent.sessionId}.jsonl`), "utf8");
  for (const text of [shown, written]) {
    expect(text).toContain("[key removed]");
    expect(text).not.toContain(secret);
    expect(text).not.toContain(word);
  }
});

const anthropic = (url: string): LanguageModelV4 => createAnthropic({ apiKey: secret, baseURL: `${url}/v1` })("m");

test.each<[string, (url: string) => LanguageModel, string]>([
  ["Anthropic", anthropic, "anthropic/m"],
  ["compatible", (url) => createOpenAICompatible({ name: "acme", baseURL: `${url}/v1` })("m"), "acme/m"],
])("accepts an AI SDK language model: %s", async (_, model, id) => {
  const { agent, project } = await world([touches, { text: "Done." }], ({ url }) => ({
    model: model(url),
    permission: { mode: "allow" },
  }));
  expect(agent.modelId).toBe(id);
  expect(endOf(await eventsOf(agent))).toMatchObject({ reason: "done", text: "Done." });
  expect(existsSync(join(project, "ran"))).toBe(true);
});

test("retries a language model's request itself, and explains a problem with its key", async () => {
  const { agent, server } = await world([status(529, {}), { text: "Now." }, status(401, {})], ({ url }) => ({
    model: anthropic(url),
  }));
  expect(endOf(await eventsOf(agent))).toMatchObject({ reason: "done", text: "Now." });
  expect(server.requests).toHaveLength(2);
  const { error } = endOf(await eventsOf(agent));
  expect(error).toMatchObject({ code: "unauthorized", message: expect.stringContaining("was created with") });
});

test("reports an unreachable server of a language model as a network failure", async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const { agent } = await world([], { model: anthropic(`http://127.0.0.1:${port}`) });
  const { error } = endOf(await eventsOf(agent));
  expect(error).toMatchObject({ code: "network", message: expect.stringContaining("ECONNREFUSED") });
});

test("refuses a language model of another specification", async () => {
  const model = { ...anthropic("http://127.0.0.1:9"), specificationVersion: "v2" } as unknown as LanguageModel;
  await expect(createAgent({ model, home: await tempDir() })).rejects.toMatchObject({
    name: "ModelError",
    code: "configuration",
    message: expect.stringContaining('got "v2"'),
  });
});

test.each<[string, AgentOptions, string]>([
  ["a directory that does not exist", { cwd: "/nowhere/at/all" }, '"cwd"'],
  ["a file as the directory", { cwd: process.execPath }, '"cwd"'],
  ["a relative IKIGAI_HOME", { env: { IKIGAI_HOME: "here" } }, "IKIGAI_HOME"],
  ["an empty HOME", { env: { HOME: "" } }, 'Expected HOME to be an absolute path, got ""'],
  ["a broken rule", { permission: { rules: [{ verdict: "deny", rule: "bash(" }] } }, '"bash("'],
])("refuses %s", async (_, options, words) => {
  const created = createAgent({ model: anthropic("http://127.0.0.1:9"), ...options });
  await expect(created).rejects.toMatchObject({
    name: "AgentError",
    code: "invalid_option",
    message: expect.stringContaining(words),
  });
});

test("continues a session, and refuses one that is open", async () => {
  const first = await world([{ text: "One." }]);
  await eventsOf(first.agent, "remember seven");
  const again: AgentOptions = { home: first.home, session: first.agent.sessionId };
  await expect(world([], again)).rejects.toMatchObject({
    name: "AgentError",
    code: "session_open",
    message: `Session ${first.agent.sessionId} is already open, in this process or another one.`,
  });
  await first.agent.close();
  const second = await world([{ text: "Two." }], again);
  await eventsOf(second.agent, "what was it?");
  expect(JSON.stringify(second.server.requests[0]?.body.messages)).toContain("remember seven");
  await expect(world([], { session: "no-such" })).rejects.toMatchObject({
    name: "AgentError",
    code: "session_not_found",
  });
});

test("continues a session with its model and thinking level, unless the program names others", async () => {
  const first = await world([{ text: "One." }], { model: "anthropic/claude-haiku-4-5", thinking: "high" });
  await eventsOf(first.agent);
  await first.agent.close();
  const again: AgentOptions = { home: first.home, session: first.agent.sessionId };
  const second = await world([{ text: "Two." }], again);
  expect(second.agent.modelId).toBe("anthropic/claude-haiku-4-5");
  await eventsOf(second.agent);
  const [before, after] = [first, second].map(({ server }) => server.requests[0]?.body.thinking);
  expect([before, after]).toEqual([expect.anything(), before]);
  await second.agent.close();
  const third = await world([], { ...again, model: "anthropic/claude-opus-4-5" });
  expect(third.agent.modelId).toBe("anthropic/claude-opus-4-5");
  await third.agent.close();
  const fourth = await world([], { ...again, env: { OPENAI_API_KEY: secret } });
  expect(fourth.agent.notices).toContainEqual(
    expect.stringMatching(/^This session used anthropic\/claude-haiku-4-5, which/),
  );
});

test("releases the session if there is no model for it", async () => {
  const first = await world([{ text: "One." }]);
  await eventsOf(first.agent);
  await first.agent.close();
  const again: AgentOptions = { home: first.home, session: first.agent.sessionId };
  const nowhere = { OLLAMA_HOST: "127.0.0.1:9" };
  await expect(world([], { ...again, env: nowhere })).rejects.toMatchObject({ code: "configuration" });
  await world([], again);
});

test("finds the tools of the program's own directory", async () => {
  const bin = await tempDir({ "count-tool": shellTool("count", `echo '{"count": 3}'`) });
  const { agent } = await world([{ calls: [{ name: "count", arguments: "{}" }] }, { text: "." }], {
    toolsDir: bin,
    permission: { mode: "allow" },
  });
  const start = (await eventsOf(agent)).find((event) => event.type === "tool_start");
  expect(start).toMatchObject({ scope: "system", path: join(bin, "count-tool") });
});
