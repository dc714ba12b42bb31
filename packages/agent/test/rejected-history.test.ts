import type { Message } from "@ikigai/models";
import { compactConversation } from "@ikigai/session";
import { expect, test } from "vitest";
import { agent, noticesIn, readSessionMessages } from "./agent-setup.ts";
import { modelServer, type Reply, type SeenRequest, status, stream } from "./model-server.ts";
import { modelOf, providers, secret } from "./providers.ts";
import { toWire } from "./wire-formats.ts";

const [anthropic, , , chat] = providers;

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly reasoning?: string;
  readonly reasoning_content?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
}

const messagesOf = ({ body }: SeenRequest) => (body as unknown as { messages: readonly ChatMessage[] }).messages;
const reject = (message: string) => status(400, { error: { message } });

/** A server that rejects a request with some words while `isBad`, and otherwise says "Fine." */
function strict(words: string, isBad: (messages: readonly ChatMessage[]) => boolean, first?: Reply): Reply[] {
  const check: Reply = (response, seen) => {
    if (!isBad(messagesOf(seen))) return stream(response, toWire(seen.path, { text: "Fine." }));
    (reject(words) as (r: typeof response, s: SeenRequest) => void)(response, seen);
  };
  return first ? [first, check] : [check];
}

const call = (name: string, id = "c1") => ({ calls: [{ id, name, arguments: "{}" }] });
const result = (id: string, name = "look"): Message => ({
  role: "tool",
  id,
  name,
  json: '{"tool_success":true,"result":{}}',
});
const said = (text: string): Message => ({ role: "user", text });
const called = (id: string, model: string, name = "look"): Message => ({
  role: "assistant",
  parts: [{ type: "tool_call", id, name, arguments: "{}" }],
  model,
});

test.each<[string, string, Message[], (messages: readonly ChatMessage[]) => boolean, string?]>([
  [
    "a tool name outside of the pattern",
    "string does not match pattern",
    [said("a"), called("c1", "openai-compatible/m", "made.up name"), result("c1", "made.up name")],
    (all) => all.some((one) => one.tool_calls?.some(({ function: { name } }) => !/^[\w-]{1,64}$/.test(name))),
  ],
  [
    "a long ID of another model",
    "string too long, maximum length 40",
    [said("a"), called("x".repeat(400), "openai/other"), result("x".repeat(400))],
    (all) => all.some(({ tool_call_id: id = "" }) => id.length > 40),
  ],
  [
    "an assistant message without text",
    "message at position 2 with role 'assistant' must not be empty",
    [said("a"), { role: "assistant", parts: [{ type: "reasoning", text: "Hm." }], model: "openai-compatible/m" }],
    (all) => all.some(({ role, content, tool_calls: calls }) => role === "assistant" && !content && !calls),
  ],
  [
    "two user messages in a row",
    "Conversation roles must alternate user/assistant",
    [said("a"), said("b")],
    (all) => all.some(({ role }, index) => role === "user" && all[index - 1]?.role === "user"),
  ],
  [
    "a user message after a result, at Mistral",
    "Unexpected role 'user' after role 'tool'",
    [said("a"), called("call_1", "openai-compatible/devstral"), result("call_1")],
    (all) =>
      all.some(({ role }, index) => role === "user" && all[index - 1]?.role === "tool") ||
      all.some(({ tool_call_id: id }) => id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(id)),
    "devstral",
  ],
])("repairs %s", async (_, words, history, isBad, name = "m") => {
  const one = await agent({});
  one.conversation.messages.push(...history);
  const server = await modelServer(...strict(words, isBad));
  const { end, events } = await one.say(await modelOf(chat, server.url, {}, name), "go on");
  expect([end.error?.message, end.text, noticesIn(events)]).toEqual([undefined, "Fine.", []]);
  const ids = server.requests.flatMap(messagesOf);
  const answered = ids.flatMap(({ tool_call_id: id }) => id ?? []);
  expect(ids.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))).toEqual(answered);
});

test("sends a signature only to the model that made it", async () => {
  const one = await agent({ look: "echo '{}'" });
  const server = await modelServer({ reasoning: "Hm.", ...call("look", "t1") }, { text: "Fine." });
  await one.say(await modelOf(anthropic, server.url, {}, "a"), "go");
  await one.say(await modelOf(anthropic, server.url, {}, "a"), "more");
  await one.say(await modelOf(anthropic, server.url, {}, "b"), "more");
  expect(server.requests.map(({ body }) => JSON.stringify(body).includes("signed"))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

/** A chunk of a chat server that sends reasoning in the field `reasoning`. */
const inField: Reply = (response, { path }) =>
  stream(
    response,
    toWire(path, { reasoning: "Hm.", ...call("look") }).map((event) => event.replace("reasoning_content", "reasoning")),
  );

test("sends reasoning back in the field that it came in", async () => {
  const one = await agent({ look: "echo '{}'" });
  const isBad = (all: readonly ChatMessage[]) => all.some((message) => message.reasoning_content !== undefined);
  const server = await modelServer(...strict("property 'reasoning_content' is unsupported", isBad, inField));
  const { end, events } = await one.say(await modelOf(chat, server.url), "go");
  expect([end.text, noticesIn(events)]).toEqual(["Fine.", []]);
  expect(messagesOf(server.requests[1] as SeenRequest)[2]?.reasoning).toBe("Hm.");
});

test("asks once without the reasoning that a server rejects, and leaves it out from then on", async () => {
  const one = await agent({ look: "echo '{}'" });
  const isBad = (all: readonly ChatMessage[]) => all.some((message) => message.reasoning_content !== undefined);
  const first = { reasoning: "Hm.", ...call("look") };
  const server = await modelServer(...strict("property 'reasoning_content' is unsupported", isBad, first));
  const model = await modelOf(chat, server.url);
  const { end, events } = await one.say(model, "go");
  expect([end.text, noticesIn(events)]).toEqual([
    "Fine.",
    [expect.stringMatching(/Retrying without the reasoning\.$/)],
  ]);
  expect(noticesIn((await one.say(model, "more")).events)).toEqual([]);
  expect(server.requests).toHaveLength(4);
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("keeps the reasoning if the request without it is rejected, too", async () => {
  const one = await agent({ look: "echo '{}'" });
  const server = await modelServer({ reasoning: "Hm.", ...call("look") }, reject("no such thing"));
  const { end } = await one.say(await modelOf(chat, server.url), "go");
  expect([end.reason, server.requests.length]).toEqual(["failed", 3]);
  expect(one.log().map(({ type }) => type)).not.toContain("drop_reasoning");
});

const long = { big: `printf '{"output": "%060000d"}' 0` };
const isLong = (all: readonly ChatMessage[]) => JSON.stringify(all).length > 50_000;

test("shortens a long conversation once after a rejection in any words", async () => {
  const one = await agent(long);
  const server = await modelServer(...strict("Zu lang!", isLong, call("big")));
  const { end, events } = await one.say(await modelOf(chat, server.url), "go");
  expect([end.text, noticesIn(events)]).toEqual([
    "Fine.",
    [expect.stringMatching(/^The server .*: Zu lang! Retrying with a shorter conversation\.$/)],
  ]);
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("keeps a long conversation if the shorter one is rejected, too", async () => {
  const one = await agent(long);
  const server = await modelServer(call("big"), reject(`no, ${secret}`));
  const { end } = await one.say(await modelOf(chat, server.url), "go");
  expect([end.reason, server.requests.length]).toEqual(["failed", 3]);
  expect(JSON.stringify(one.conversation.messages)).toContain("0".repeat(60_000));
});

test("shortens the request for a summary that is rejected in any words", async () => {
  const one = await agent({});
  const server = await modelServer(...strict("Zu lang!", isLong));
  const model = await modelOf(chat, server.url);
  const json = JSON.stringify({ tool_success: true, result: { output: "0".repeat(60_000) } });
  one.conversation.messages.push(said("a"), called("c1", model.id, "big"), {
    role: "tool",
    id: "c1",
    name: "big",
    json,
  });
  const { signal } = new AbortController();
  await compactConversation(one.conversation, { model, system: "", tools: [], signal });
  expect(one.conversation.messages).toEqual([{ role: "user", text: expect.stringContaining("Fine.") }]);
  expect(server.requests).toHaveLength(2);
});

test("says what helps when the provider rejects two messages in a row", async () => {
  const one = await agent({});
  const server = await modelServer(reject("no"), reject("no"), { text: "Fine." }, reject("no"));
  const model = await modelOf(chat, server.url);
  const ends: (string | undefined)[] = [];
  for (let n = 0; n < 4; n++) ends.push((await one.say(model, "go")).end.error?.message.replace(/^.*: /s, ""));
  const advice = "To go on: /rewind to an earlier message, /model to change the model, or /new to start over.";
  expect(ends).toEqual(["no", `no. ${advice}`, undefined, "no"].map((text) => text?.replace(/^.*: /s, "")));
});

test.each(["functions.look", "default_api:look", "look ", "look<|channel|>commentary"])(
  "runs the tool that the name %j means",
  async (name) => {
    const one = await agent({ look: "echo '{}'" });
    const server = await modelServer(call(name), { text: "Fine." });
    const { events } = await one.say(await modelOf(chat, server.url), "go");
    expect(events.flatMap((event) => (event.type === "tool_result" ? event.json : []))).toEqual([
      '{"tool_success":true,"result":{}}',
    ]);
    expect(messagesOf(server.requests[1] as SeenRequest)[2]?.tool_calls?.[0]?.function.name).toBe("look");
  },
);
