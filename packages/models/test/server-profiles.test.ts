import { expect, test } from "vitest";
import { agent } from "../../agent/test/agent-setup.ts";
import { modelServer, type Reply, type SeenRequest, status, stream } from "../../agent/test/model-server.ts";
import { hear, modelOf, providers } from "../../agent/test/providers.ts";
import { toWire } from "../../agent/test/wire-formats.ts";
import type { Message } from "../src/model.ts";
import { resolveModel } from "../src/resolve-model.ts";
import { knownServer, profileOf } from "../src/server-profiles.ts";

const [, , , chat] = providers;

interface ChatBody {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly stream_options?: object;
  readonly cache_control?: object;
}

const bodyOf = (request: SeenRequest | undefined) => request?.body as unknown as ChatBody;

/** A conversation that another model has begun: its reasoning, a call, and a user who interrupts. */
const history: readonly Message[] = [
  { role: "user", text: "a" },
  {
    role: "assistant",
    model: "anthropic/claude",
    parts: [
      { type: "reasoning", text: "Hm.", metadata: { anthropic: { signature: "signed" } } },
      { type: "tool_call", id: "toolu_1", name: "look", arguments: "{}" },
    ],
  },
  { role: "tool", id: "toolu_1", name: "look", json: '{"tool_success":true,"result":{}}' },
  { role: "user", text: "b" },
];

/** What a server at this address is sent: the proxy is the server. */
async function sentTo(host: string, model: string) {
  const server = await modelServer({ text: "Fine." });
  const env = { OPENAI_COMPATIBLE_BASE_URL: `http://${host}/v1`, HTTP_PROXY: server.url };
  const { error } = await hear(await resolveModel({ config: {}, env, wanted: `openai-compatible/${model}` }), {
    messages: history,
  });
  expect(error).toBeUndefined();
  return bodyOf(server.requests[0]);
}

interface Sent {
  /** The first letters of the roles after the system's. */
  readonly roles: string;
  readonly usage?: true;
  readonly cache?: true;
  readonly id?: RegExp;
  readonly reasoning?: string;
  readonly reasoning_content?: string;
}

test.each<[string, string, Sent]>([
  ["models.example.com", "m", { roles: "uatu", usage: true }],
  ["api.openai.com", "gpt-5", { roles: "uatu", usage: true }],
  ["api.mistral.ai", "devstral", { roles: "uatau", id: /^[a-zA-Z0-9]{9}$/ }],
  ["api.moonshot.ai", "kimi-k2.6", { roles: "uatu", usage: true, reasoning_content: " " }],
  ["api.deepseek.com", "deepseek-chat", { roles: "uatu", usage: true, reasoning_content: " " }],
  ["api.groq.com", "moonshotai/kimi-k2", { roles: "uatu", usage: true }],
  ["openrouter.ai", "moonshotai/kimi-k2", { roles: "uatu", usage: true, reasoning: " ", cache: true }],
  ["gateway.example.com", "kimi-k2.6", { roles: "uatu", usage: true, reasoning_content: " " }],
  ["api.cerebras.ai", "gpt-oss-120b", { roles: "uatu", usage: true }],
  ["foo.openai.azure.com", "gpt-5", { roles: "uatu" }],
])("sends %s with the model %s what they need", async (host, model, { roles, usage, cache, id, ...reasoning }) => {
  const { messages, stream_options, cache_control } = await sentTo(host, model);
  expect(messages.map(({ role }) => String(role)[0]).join("")).toBe(`s${roles}`);
  expect([stream_options !== undefined, cache_control !== undefined]).toEqual([usage ?? false, cache ?? false]);
  const { role, content, tool_calls, ...more } = messages[2] ?? {};
  expect([role, content, more]).toEqual(["assistant", null, reasoning]);
  const [call] = tool_calls as [{ id: string }];
  expect([call.id, messages[3]?.tool_call_id]).toEqual([call.id, call.id]);
  expect(call.id).toMatch(id ?? /^toolu_1$/);
});

/** A server that rejects requests with some words while `isBad`. */
const strict =
  (words: string, isBad: (body: ChatBody) => boolean): Reply =>
  (response, seen) => {
    if (!isBad(bodyOf(seen))) return stream(response, toWire(seen.path, { text: "Fine." }));
    (status(400, { error: { message: words } }) as (r: typeof response, s: SeenRequest) => void)(response, seen);
  };

test.each<[string, string, (body: ChatBody) => boolean, string?]>([
  [
    "a field that it does not know",
    "Unknown parameter: 'stream_options.include_usage'.",
    ({ stream_options: usage }) => usage !== undefined,
  ],
  [
    "reasoning that it misses",
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ({ messages }) => messages.some(({ role, reasoning_content: text }) => role === "assistant" && !text),
  ],
  [
    "reasoning that it does not take",
    "property 'messages.2.assistant.reasoning_content' is unsupported",
    ({ messages }) => messages.some(({ reasoning_content: text }) => text !== undefined),
    "kimi-k2",
  ],
])("learns from the words of a server about %s, once", async (_, words, isBad, name = "m") => {
  const one = await agent({});
  one.conversation.messages.push(...history.slice(0, 3), {
    role: "assistant",
    model: "x/y",
    parts: [{ type: "text", text: "Done." }],
  });
  const server = await modelServer(strict(words, isBad));
  const model = await modelOf(chat, server.url, {}, name);
  const texts = [(await one.say(model, "go on")).end.text, (await one.say(model, "more")).end.text];
  expect([texts, server.requests.length]).toEqual([["Fine.", "Fine."], 3]);
});

test("learns nothing from other words", () => {
  const server = knownServer(profileOf({ provider: "openai-compatible" }));
  expect(server.learn("reasoning_effort must be one of low, high")).toBe(false);
  expect(server.learn("messages.2.content is required")).toBe(false);
});

test("knows a server by its address and not by what is in its path", () => {
  const at = (baseUrl: string) => profileOf({ provider: "openai-compatible", baseUrl, model: "m" });
  expect(at("https://gateway.example.com/openai.com/v1").isOwn).toBe(false);
  expect(at("https://notopenai.com/v1").isOwn).toBe(false);
  expect(at("http://127.0.0.1:11434/v1").start?.command).toBe("ollama serve");
  expect(profileOf({ provider: "anthropic", baseUrl: "https://bedrock.example.com/v1" }).isOwn).toBe(false);
  expect(profileOf({ provider: "anthropic", baseUrl: "https://api.anthropic.com/v1" }).isOwn).toBe(true);
});
