import { readFileSync, statSync } from "node:fs";
import { compactConversation, contextUse, lastAnswer, resumeConversation } from "@ikigai/session";
import { expect, test } from "vitest";
import { agent, noticesIn, readSessionMessages, unansweredIn } from "./agent-setup.ts";
import { modelServer, status } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;
const big = `head -c 6000 /dev/zero | tr '\\0' 'x' | sed 's/x/a b /g' | sed 's/^/{"output": "/; s/$/"}/'`;
const callOf = (id: string) => ({ text: "I look.", calls: [{ id, name: "look", arguments: "{}" }] });
const tooLong = status(400, { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } });

test("moves old results out before the window is full, and says where they are", async () => {
  const one = await agent({ look: big });
  const server = await modelServer(callOf("c1"), { ...callOf("c2"), inputTokens: 12_100 }, { text: "Done." });
  const { end, events } = await one.say(await modelOf(anthropic, server.url), "go", { contextWindow: () => 28_000 });
  expect(end.reason).toBe("done");
  expect(noticesIn(events)).toEqual(["Older tool results were moved out of the context to make room."]);
  const results = one.conversation.messages.filter((message) => message.role === "tool");
  expect(results.map(({ json }) => json.length > 10_000)).toEqual([false, true]);
  const [, path = ""] = /they are in (\S+\.txt)\)/.exec(results[0]?.json ?? "") ?? [];
  expect(readFileSync(path, "utf8")).toMatch(/^(a b ){6000}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("lets the model summarize older messages if that is not enough", async () => {
  const one = await agent({ look: big });
  const long = "one two three ".repeat(2_000);
  const server = await modelServer({ text: long, inputTokens: 5_000 }, { text: "They counted." }, { text: "Done." });
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "count");
  const { end, events } = await one.say(model, "and now? ".repeat(700), { contextWindow: () => 8_000 });
  expect(end).toMatchObject({ reason: "done", text: "Done." });
  expect(noticesIn(events)).toEqual(["Context is filling up: compacting older messages."]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("Summarize this conversation");
  const last = JSON.stringify(server.requests[2]?.body);
  expect(last).toContain("They counted.");
  expect(last).toContain("and now?");
  expect(last).not.toContain("one two three");
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("adds the cost of a summary to the turn and the session, also after a resume", async () => {
  const one = await agent({});
  const server = await modelServer(
    { text: "one two three ".repeat(2_000), inputTokens: 7_500 },
    { text: "They counted." },
  );
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "count");
  const before = one.conversation.usage.inputTokens;
  const { end } = await one.say(model, "and now?", { contextWindow: () => 8_000 });
  expect(end.steps).toBe(1);
  expect(one.conversation.usage.inputTokens - before).toBe(end.usage.inputTokens);
  const { usage } = one.conversation;
  await compactConversation(one.conversation, { model, system: "", tools: [], signal: new AbortController().signal });
  expect(one.conversation.usage.inputTokens).toBeGreaterThan(usage.inputTokens);
  expect(lastAnswer(one.conversation)).toBe("They counted.");
  one.conversation.log.close();
  const { conversation } = resumeConversation({ home: one.home, cwd: one.project, id: one.conversation.id });
  expect(conversation.usage).toEqual(one.conversation.usage);
  conversation.log.close();
});

test("asks a model that returns no summary once per turn, and the turn continues", async () => {
  const one = await agent({ look: `echo '{"seen": 1}'` });
  const small = (id: string) => ({ calls: [{ id, name: "look", arguments: "{}" }], inputTokens: 7_500 });
  const empty = { text: " " };
  const server = await modelServer({ text: "First.", inputTokens: 7_500 }, empty, small("c1"), { text: "Done." });
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "one two three ".repeat(2_000));
  const { end, events } = await one.say(model, "and now?", { contextWindow: () => 8_000 });
  expect(end).toMatchObject({ reason: "done", text: "Done." });
  expect(noticesIn(events)).toEqual([
    "Context is filling up: compacting older messages.",
    "Could not compact older messages: The model returned no summary.",
  ]);
});

test("shortens a request that is rejected as too long, then summarizes, then gives up", async () => {
  const one = await agent({ look: big });
  const server = await modelServer(callOf("c1"), tooLong, tooLong, { text: "Looked once." }, { text: "Done." });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end).toMatchObject({ reason: "done", text: "Done." });
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain("Looked once.");
  expect(last).toContain("The user's last message, which you are working on:\\n\\ngo");
  expect(unansweredIn(one)).toEqual([]);
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);

  const hopeless = await agent({});
  const deaf = await modelServer(tooLong);
  const { end: failed } = await hopeless.say(await modelOf(anthropic, deaf.url), "go");
  expect(failed).toMatchObject({ reason: "failed", error: { code: "context_too_long" } });
  expect(deaf.requests).toHaveLength(1);
});

test("survives any number of overflows, as long as requests succeed in between", async () => {
  const one = await agent({ look: big });
  const rounds = Array.from({ length: 6 }, (_, n) => [callOf(`c${n}`), tooLong]).flat();
  const server = await modelServer(...rounds, { text: "Done." });
  const { end } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(end).toMatchObject({ reason: "done", text: "Done.", steps: 7 });
  expect(unansweredIn(one)).toEqual([]);
});

test("summarizes after a later overflow of the turn even if a summary failed before", async () => {
  const one = await agent({ look: `echo '{"seen": 1}'` });
  const call = { calls: [{ id: "c1", name: "look", arguments: "{}" }], inputTokens: 7_500 };
  const first = { text: "First.", inputTokens: 7_500 };
  const server = await modelServer(first, { text: " " }, call, tooLong, { text: "They looked." }, { text: "Done." });
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "one two three ".repeat(2_000));
  const { end } = await one.say(model, "and now?", { contextWindow: () => 8_000 });
  expect(end).toMatchObject({ reason: "done", text: "Done." });
});

test("does not replace the conversation with a filtered summary, and marks one that was cut off", async () => {
  const one = await agent({});
  const server = await modelServer(...[{ text: "Well" }, { text: "Half", finish: "content_filter" as const }], {
    text: "They sp",
    finish: "length",
  });
  const model = await modelOf(anthropic, server.url);
  await one.say(model, "go");
  const options = { model, system: "", tools: [], signal: new AbortController().signal };
  const before = structuredClone(one.conversation.messages);
  await expect(compactConversation(one.conversation, options)).rejects.toThrow("The model returned no summary");
  expect(one.conversation.messages).toEqual(before);
  await compactConversation(one.conversation, options);
  expect(JSON.stringify(one.conversation.messages)).toContain("They sp\\n[The summary was cut off here.]");
});

test("reports what fills the context", async () => {
  const one = await agent({ look: big });
  const server = await modelServer(callOf("c1"), { text: "Done." });
  await one.say(await modelOf(anthropic, server.url), "go");
  const tools = [{ name: "look", description: "Looks", parameters: { type: "object" } }];
  const use = contextUse(one.conversation, { system: "You help.", tools });
  expect(use.total).toBe(21);
  expect(use.results[0]).toEqual({ name: "look", tokens: expect.any(Number) });
  expect(use.results[0]?.tokens).toBeGreaterThan(use.assistant);
  const parts = [use.system, use.user, use.assistant, ...use.tools.map(({ tokens }) => tokens), use.results[0]?.tokens];
  expect(Math.abs(parts.reduce<number>((all, one) => all + (one ?? 0), 0) - use.total)).toBeLessThan(5);
});

test("keeps the user's own words, also those of before an earlier summary, and the changed files", async () => {
  const one = await agent({});
  const server = await modelServer(
    { text: "one two three ".repeat(900) },
    { text: "First summary." },
    { text: "four five six ".repeat(900) },
    { text: "Second summary." },
  );
  const model = await modelOf(anthropic, server.url);
  const compact = () =>
    compactConversation(one.conversation, { model, system: "", tools: [], signal: new AbortController().signal });
  await one.say(model, "Never touch the vendor folder.");
  one.conversation.log.append({ type: "changed", id: "c1", path: "/proj/a.ts", sha256: null });
  await compact();
  await one.say(model, "And keep the tests.");
  await compact();
  const [message] = one.conversation.messages;
  expect(one.conversation.messages).toHaveLength(1);
  expect(JSON.stringify(message)).toContain("Second summary.");
  expect(JSON.stringify(message)).toContain("Never touch the vendor folder.\\n\\n---\\n\\nAnd keep the tests.");
  expect(JSON.stringify(message)).toContain("- /proj/a.ts");
});
