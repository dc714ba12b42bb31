import type { Message } from "@ikigai/models";
import { compactConversation, listSessions } from "@ikigai/session";
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { wellFormedJson } from "../../models/src/to-prompt.ts";
import { agent, readSessionMessages } from "./agent-setup.ts";
import { modelServer, status } from "./model-server.ts";
import { hear, modelOf, providers } from "./providers.ts";

/** Half of an emoji. */
const half = "\ud83d";
const runs = inject("isThorough") ? 2_000 : 200;

/** Every string in a value, keys included; also in JSON inside a string, as the arguments of calls are sent. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value, ...stringsIn(parsed(value))];
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(stringsIn)];
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

const malformed = (value: unknown) => stringsIn(value).filter((text) => !text.isWellFormed());

describe.each(providers)("with $name", (provider) => {
  test("sends only well-formed text, wherever half a character is", async () => {
    const server = await modelServer({ text: "ok" });
    const result = (id: string): Message => ({ role: "tool", id, name: `n${half}`, json: `{"a":"${half}"}` });
    const call = (id: string, args: string) =>
      ({ type: "tool_call", id, name: `n${half}`, arguments: args, metadata: { p: { s: half } } }) as const;
    const messages: Message[] = [
      { role: "user", text: `hello ${half}`, images: [{ mediaType: "image/png", data: "AAAA" }] },
      {
        role: "assistant",
        model: `${provider.name}/m`,
        parts: [
          { type: "reasoning", text: half, metadata: { [provider.name]: { signature: half } } },
          { type: "text", text: `\udc00 and ${half}` },
          call("1", `{"raw":"${half}","${half}":1}`),
          call("2", '{"escaped":"\\ud83d x \\udc00","whole":"\\ud83d\\ude00","slash":"\\\\ud83d"}'),
          call("3", `not JSON ${half}`),
        ],
      },
      ...["1", "2", "3"].map(result),
      { role: "user", text: "go" },
    ];
    const tools = [{ name: "n", description: half, parameters: { type: "object", properties: { [half]: {} } } }];
    const { text } = await hear(await modelOf(provider, server.url), { system: half, messages, tools });
    expect(text).toBe("ok");
    expect(malformed(server.requests[0]?.body)).toEqual([]);
    expect(stringsIn(server.requests[0]?.body)).toContain("😀");
    expect(stringsIn(server.requests[0]?.body)).toContain("\\ud83d");
  });

  test("does not return half a character to the model that wrote it, also after a resume", async () => {
    const one = await agent({ show: "cat" });
    const calls = [{ id: "c", name: "show", arguments: '{"a":"\\ud83d"}' }];
    const server = await modelServer({ text: `Look ${half}`, calls }, { text: "ok" });
    const model = await modelOf(provider, server.url);
    await one.say(model, "go");
    await hear(model, { messages: [...readSessionMessages(one), { role: "user", text: "more" }] });
    expect(server.requests.flatMap(({ body }) => malformed(body))).toEqual([]);
  });
});

test("keeps JSON without half characters, and makes other JSON well-formed", () => {
  const units = fc.array(fc.constantFrom(half, "\ude00", "\\", '"', "u", "d83d", "a", "😀"), { maxLength: 8 });
  const any = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    units.map((parts) => parts.join("")),
  );
  const escaped = (text: string) => text.replace(/[\ud800-\udfff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
  fc.assert(
    fc.property(any, any, fc.boolean(), (key, value, isEscaped) => {
      const json = JSON.stringify({ [key]: value });
      const text = isEscaped ? escaped(json) : json;
      const fixed = wellFormedJson(text);
      expect(JSON.parse(fixed)).toEqual({ [key.toWellFormed()]: value.toWellFormed() });
      if (key.isWellFormed() && value.isWellFormed()) expect(fixed).toBe(text);
    }),
    { numRuns: runs },
  );
});

describe("never splits a character", () => {
  const [anthropic] = providers;
  const tooLong = status(400, {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long" },
  });

  test.each([7_998, 7_999, 8_000])(
    "of a request of %i characters and an emoji that a summary quotes",
    async (length) => {
      const one = await agent({ look: `echo '{"seen":1}'` });
      const calls = [{ id: "c", name: "look", arguments: "{}" }];
      const server = await modelServer({ calls }, tooLong, { text: "Looked." }, { text: "Done." });
      const { end } = await one.say(await modelOf(anthropic, server.url), `${"x".repeat(length)}😀 end`);
      expect(end.text).toBe("Done.");
      expect(JSON.stringify(one.conversation.messages)).toContain("working on");
      expect(malformed(one.conversation.messages)).toEqual([]);
      expect(malformed(server.requests.at(-1)?.body)).toEqual([]);
    },
  );

  test.each([98, 99, 100])("of a title of %i characters and an emoji", async (length) => {
    const one = await agent({});
    const server = await modelServer({ text: "ok" });
    await one.say(await modelOf(anthropic, server.url), `${"x".repeat(length)}😀 end`);
    expect(listSessions(one.home).map(({ title }) => title.isWellFormed())).toEqual([true]);
  });

  test.each([598, 599, 600])("of a server's %i words and an emoji", async (length) => {
    const server = await modelServer(status(400, { error: { message: `${"x".repeat(length)}😀 end`, type: "x" } }));
    const { error } = await hear(await modelOf(anthropic, server.url));
    expect([error?.message.isWellFormed(), error?.message.includes("xxx")]).toEqual([true, true]);
  });

  test.each([78, 79, 80])("of arguments of %i characters and an emoji that are quoted", async (length) => {
    const one = await agent({ show: "cat" });
    const calls = [{ id: "c", name: "show", arguments: `"${"x".repeat(length)}😀 end"` }];
    const server = await modelServer({ calls }, { text: "ok" });
    await one.say(await modelOf(anthropic, server.url), "go");
    expect(malformed(one.conversation.messages)).toEqual([]);
  });

  test("of what the user wants kept in a summary", async () => {
    const one = await agent({});
    const server = await modelServer({ text: "ok" });
    const model = await modelOf(anthropic, server.url);
    await one.say(model, "go");
    const signal = new AbortController().signal;
    await compactConversation(one.conversation, { model, system: "", tools: [], signal, focus: half });
    expect(malformed(server.requests.at(-1)?.body)).toEqual([]);
  });
});
