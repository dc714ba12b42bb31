// @module-tag tables
import { describe, expect, test } from "vitest";
import { maxAnswerLength } from "../../models/src/to-model-events.ts";
import { agent, noticesIn, resultsIn } from "./agent-setup.ts";
import { modelServer, type Reply, stream } from "./model-server.ts";
import { hear, modelOf, providers } from "./providers.ts";

const [anthropic, , google, chat] = providers;
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const choice = (delta: object, finish_reason: string | null = null) =>
  data({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
const chunks =
  (...events: string[]): Reply =>
  (response) =>
    stream(response, [...events, "data: [DONE]\n\n"]);

const args = '{"n":"one"}';
const whole = (index: number, text = args, id = "c1") =>
  choice({ tool_calls: [{ index, id, type: "function", function: { name: "look", arguments: text } }] });
const more = (index: number, text: string) => choice({ tool_calls: [{ index, function: { arguments: text } }] });
const end = choice({}, "tool_calls");
const functionCall = { name: "look", args: { n: "one" }, id: "g1" };
const candidate = (finishReason?: string) =>
  data({
    candidates: [{ content: { role: "model", parts: [{ functionCall }] }, ...(finishReason && { finishReason }) }],
  });

describe("a call that the server repeats", () => {
  test.each([
    ["whole, in the same index", chat, chunks(whole(0), whole(0), end)],
    ["after its pieces", chat, chunks(whole(0, args.slice(0, 5)), more(0, args.slice(5)), whole(0), end)],
    ["in another index", chat, chunks(whole(0), whole(1), end)],
    [
      "in two events of Google",
      google,
      ((response) => stream(response, [candidate(), candidate("STOP")])) satisfies Reply,
    ],
  ])("runs once: %s", async (_, provider, answer) => {
    const one = await agent({ look: "echo '{}'" });
    const server = await modelServer(answer, { text: "Done." });
    const { end, events } = await one.say(await modelOf(provider, server.url), "go");
    expect([end.text, resultsIn(events).length]).toEqual(["Done.", 1]);
  });

  test.each([
    ["other arguments with the same ID", chunks(whole(0), whole(1, '{"n":"two"}'), end)],
    ["the same arguments with another ID", chunks(whole(0), whole(1, args, "c2"), end)],
  ])("is not one with %s", async (_, answer) => {
    const one = await agent({ look: "echo '{}'" });
    const server = await modelServer(answer, { text: "Done." });
    const { events } = await one.say(await modelOf(chat, server.url), "go");
    expect(resultsIn(events)).toHaveLength(2);
  });
});

test("takes an empty finish reason at the end of a stream for a regular end", async () => {
  const one = await agent({ look: "echo '{}'" });
  const server = await modelServer(
    chunks(whole(0), choice({}, "")),
    chunks(choice({ content: "Done." }), choice({}, "")),
  );
  const { end, events } = await one.say(await modelOf(chat, server.url), "go");
  expect([end.reason, end.text, resultsIn(events)[0]?.envelope.tool_success]).toEqual(["done", "Done.", true]);
});

test("says that a model has only reasoned", async () => {
  const one = await agent({});
  const server = await modelServer({ reasoning: "Hm." });
  const { events } = await one.say(await modelOf(anthropic, server.url), "go");
  expect(noticesIn(events)).toEqual(["The model returned only reasoning, no answer."]);
});

test.each([
  ["<think>Hm.</think>\n\nFine.", "Hm.", "Fine."],
  ["\n<think>\nHm. a < b</think>Fine <think>x</think>", "\nHm. a < b", "Fine <think>x</think>"],
  ["<think>Hm.", "Hm.", ""],
  ["<thinking> is a tag", "", "<thinking> is a tag"],
  ["<th", "", "<th"],
  [" a", "", " a"],
])("makes reasoning of %j", async (content, reasoning, text) => {
  const one = await agent({});
  const pieces = (length: number) => content.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
  for (const length of [1, 3, 100]) {
    const answer = chunks(...pieces(length).map((piece) => choice({ content: piece })), choice({}, "stop"));
    const server = await modelServer(answer, { text: "Done." });
    const model = await modelOf(chat, server.url);
    const heard = await one.say(model, "go");
    const thought = heard.events.map((event) => (event.type === "reasoning" ? event.text : "")).join("");
    expect([thought, heard.end.text]).toEqual([reasoning, text]);
    await one.say(model, "more");
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("Hm.");
  }
});

test.each([
  'I look.\n<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>',
  "<tool_call>\n<function=look>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>\n",
  '[TOOL_CALLS][{"name": "look", "arguments": {}}]',
])("fails, with the server's switch, when the answer is a call as text: %j", async (text) => {
  const one = await agent({ look: "echo '{}'" });
  const server = await modelServer({ text });
  const { end } = await one.say(await modelOf(chat, server.url), "go");
  expect(end).toMatchObject({ reason: "failed", error: { code: "call_as_text" } });
  expect(end.error?.message).toContain("llama.cpp: --jinja");
});

test("takes a call in a code block, or in the middle of an answer, for text", async () => {
  const one = await agent({});
  const server = await modelServer(
    { text: 'Like this:\n```\n<tool_call>\n{"name": "look"}\n</tool_call>\n```' },
    { text: "A call is\n<tool_call>…</tool_call>\nin the text." },
  );
  const model = await modelOf(chat, server.url);
  for (const text of ["how?", "and?"]) expect((await one.say(model, text)).end.reason).toBe("done");
});

const piece = "x".repeat(1_048_576);

test.each([
  ["text", (text: string) => choice({ content: text })],
  ["reasoning", (text: string) => choice({ reasoning_content: text })],
  ["arguments", (text: string) => more(0, text)],
])("ends a response of more %s than a model writes", async (kind, event) => {
  const start = kind === "arguments" ? whole(0, "{") : choice({ content: "y" });
  const answer =
    (extra: string): Reply =>
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(start);
      for (let length = 1; length < maxAnswerLength; length += piece.length) {
        response.write(event(piece.slice(0, maxAnswerLength - length)));
      }
      response.end(`${event(extra)}${choice({}, "stop")}data: [DONE]\n\n`);
    };
  const server = await modelServer(answer(""), answer("z"));
  const model = await modelOf(chat, server.url);
  expect((await hear(model)).error).toBeUndefined();
  const { error } = await hear(model);
  expect([error?.code, error?.retryable, error?.message]).toEqual([
    "bad_stream",
    false,
    "The response is longer than 16 MiB. The model may be repeating itself.",
  ]);
});
