// Promise 6 of SECURITY.md.

import type { Ask, Question } from "@ikigai/permission";
import { readRecording, recordedAnswers, recordedModel } from "@ikigai/session";
import { expect, test } from "vitest";
import { agent, resultsIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

/** A tool that returns its arguments. */
const getter = {
  getter: {
    script: 'printf \'{"output":%s}\' "$(cat)"',
    declared: { parameters: { type: "object", properties: { url: { type: "string" } } } },
  },
};

/** An agent that asks, and a model that calls the tool with each of these addresses, one step each. */
async function asking(...urls: string[]) {
  const one = await agent(getter);
  one.permission.mode = "ask";
  const steps = urls.map((url, n) => ({
    calls: [{ id: `c${n}`, name: "getter", arguments: JSON.stringify({ url, depth: 1 }) }],
  }));
  const { url } = await modelServer(...steps, { text: "ok" });
  return { ...one, one, model: await modelOf(providers[0], url) };
}

test("a tool gets the address as the rule about its host has read it", async () => {
  const { say, model, permission } = await asking("HTTPS://DOCS.rs?q=@evil.example", "https://docs.rs@evil.example/");
  permission.rules = [{ verdict: "allow", rule: "getter(domain:docs.rs)" }];
  const { events } = await say(model, "go");
  expect(resultsIn(events).map(({ envelope }) => envelope)).toEqual([
    { tool_success: true, result: { output: { url: "https://docs.rs/?q=@evil.example", depth: 1 } } },
    expect.objectContaining({ error_code: "TOOL_DENIED" }),
  ]);
});

test("without a user to ask, a denied call names the rule, or says that its address is not plain", async () => {
  const { say, model } = await asking("https://docs.rs/", "https://docs.rs@evil.example/");
  const { events } = await say(model, "go");
  const [plain, other] = resultsIn(events).map(({ envelope }) => JSON.stringify(envelope));
  expect(plain).toContain("To allow it: the rule getter(domain:docs.rs)");
  expect(other).toContain("programs could find different hosts in its url. Write https://HOST/PATH");
  expect(other).not.toContain("To allow it");
});

test("a question about an address that is not plain offers no rule, and says why", async () => {
  const { say, model } = await asking("https://docs.rs@evil.example/");
  const questions: Question[] = [];
  const ask: Ask = async (question) => {
    questions.push(question);
    return { allow: true, remember: "session" };
  };
  await say(model, "go", { ask });
  expect(questions).toEqual([expect.objectContaining({ reason: "programs could find different hosts in its url" })]);
  expect(questions[0]).not.toHaveProperty("rule");
});

test("a tool without a rule about its hosts gets what the model wrote", async () => {
  const { say, model, permission } = await asking("HTTPS://DOCS.rs");
  permission.rules = [
    { verdict: "allow", rule: "getter" },
    { verdict: "deny", rule: "other(domain:docs.rs)" },
  ];
  const { events } = await say(model, "go");
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { output: { url: "HTTPS://DOCS.rs" } } });
});

test("calls of one step that wait for a question about web_fetch are allowed by the rule that it adds", async () => {
  const { say, one } = await asking();
  const registry = {
    ...one.registry,
    tools: one.registry.tools.map((tool) => ({ ...tool, scope: "system" as const })),
  };
  const calls = ["https://docs.rs", "HTTPS://docs.rs/a"].map((url, n) => ({
    id: `c${n}`,
    name: "getter",
    arguments: JSON.stringify({ url }),
  }));
  const { url } = await modelServer({ calls }, { text: "ok" });
  const questions: Question[] = [];
  const ask: Ask = async (question) => {
    questions.push(question);
    return { allow: true, remember: "session" };
  };
  const { events } = await say(await modelOf(providers[0], url), "go", { ask, currentRegistry: async () => registry });
  expect(questions.map(({ rule }) => rule)).toEqual(["getter(domain:docs.rs)"]);
  expect(resultsIn(events).map(({ envelope }) => envelope.tool_success)).toEqual([true, true]);
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
});

test("a question offers the rule about the host, which then allows other pages of it and no other port", async () => {
  const urls = ["https://docs.rs/a", "https://docs.rs/b", "https://docs.rs:8443/", "https://DOCS.RS/c"];
  const { say, model } = await asking(...urls);
  const questions: Question[] = [];
  const ask: Ask = async (question) => {
    questions.push(question);
    return questions.length === 1 ? { allow: true, remember: "session" } : { allow: false };
  };
  const { events } = await say(model, "go", { ask });
  expect(questions.map(({ rule }) => rule)).toEqual(["getter(domain:docs.rs)", "getter(domain:docs.rs:8443)"]);
  expect(resultsIn(events).map(({ envelope }) => envelope.tool_success)).toEqual([true, true, false, true]);
});

test("a replay finds the result of a call whose address was written in another way", async () => {
  const { say, model, one, permission } = await asking("HTTPS://DOCS.rs");
  permission.rules = [{ verdict: "allow", rule: "getter(domain:docs.rs)" }];
  await say(model, "go");
  const recording = readRecording({ home: one.home, cwd: one.project, id: one.conversation.id });
  const other = await agent({});
  other.permission.rules = [...permission.rules];
  const { events } = await other.say(recordedModel(recording), "go", { recorded: recordedAnswers(recording) });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { output: { url: "https://docs.rs/" } } });
});
