import { expect, test } from "vitest";
import type { Message } from "../src/model.ts";
import { knownServer, profileOf } from "../src/server-profiles.ts";
import { promptWriter } from "../src/to-prompt.ts";

const form = { model: "test/one", server: knownServer(profileOf({ provider: "test" })) };
const call = (id: string) => ({ type: "tool_call", id, name: "look", arguments: "{}" }) as const;
const result = (id: string): Message => ({ role: "tool", id, name: "look", json: "{}", images: [image] });
const image = { mediaType: "image/png", data: "AAAA" };

/** A turn with two results in a row, which a prompt has in one message. */
const turn: readonly Message[] = [
  { role: "user", text: "Look." },
  { role: "assistant", parts: [call("a"), call("b")], model: "test/one" },
  result("a"),
  result("b"),
];

test.each([true, false])(
  "writes a request like one without requests before it; images in results: %s",
  (takesFiles) => {
    const write = promptWriter({ ...form, takesFiles });
    const messages: Message[] = [];
    for (const message of [...turn, ...turn]) {
      messages.push(message);
      expect(write({ system: "s", messages })).toEqual(
        promptWriter({ ...form, takesFiles })({ system: "s", messages }),
      );
    }
    const marked = write({ system: "s", messages }).filter(
      ({ role, providerOptions }) => role !== "system" && providerOptions,
    );
    expect(marked).toHaveLength(2);
  },
);

test("makes every text well-formed, whatever provider takes it", () => {
  const messages: Message[] = [
    { role: "user", text: "half \ud83d" },
    { role: "tool", id: "a", name: "look\ud83d", json: '{"a":"\\ud83d"}', images: [image] },
  ];
  for (const takesFiles of [true, false]) {
    const text = JSON.stringify(promptWriter({ ...form, takesFiles })({ system: "\udc00", messages }));
    expect(text).not.toMatch(/\\ud83d|\\udc00/);
    expect(text).toContain("half \ufffd");
  }
});

test("puts an answer between a result and a message only for Mistral's models, and after such a complaint", () => {
  const steered: Message[] = [...turn.slice(0, 3), { role: "user", text: "And?" }];
  const rolesFor = (server: ReturnType<typeof knownServer>) =>
    promptWriter({ ...form, takesFiles: true, server })({ system: "s", messages: steered }).map(({ role }) => role);
  const plain = ["system", "user", "assistant", "tool", "user"];
  const strict = ["system", "user", "assistant", "tool", "assistant", "user"];
  const profile = (model: string) =>
    profileOf({ provider: "openai-compatible", baseUrl: "http://127.0.0.1:8000/v1", model });
  expect(rolesFor(knownServer(profile("llama-3.3")))).toEqual(plain);
  expect(rolesFor(knownServer(profile("devstral-small")))).toEqual(strict);
  const server = knownServer(profile("own-name"));
  expect(server.learn("Unexpected role 'user' after role 'tool'")).toBe(true);
  expect(rolesFor(server)).toEqual(strict);
});
