// Promise 7 of SECURITY.md.

import { createHash } from "node:crypto";
import { resumeConversation, startConversation } from "@ikigai/session";
import { Redactor, redact, redactJson } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { expectLinear } from "../../permission/test/growth.ts";
import { withoutSecrets } from "../src/turn/without-secrets.ts";

/** How many random cases are tried: in a quick run a fifth. */
const some = (all: number) => (inject("isThorough") ? all : Math.ceil(all / 5));

const key = "sk-ant-api03-AbCd+EfGh/1234567890==zz";
const digest = createHash("sha512").update("a key").digest("base64url");
const hex = (text: string) => Buffer.from(text).toString("hex");
const percent = (text: string) => hex(text).replace(/../g, "%$&");
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** What programs print for a key, and what is left. */
test.each([
  ["a key", key, ""],
  ["with a URL around it", `https://x/?key=${key}&y`, "https://x/?key=&y"],
  ["encodeURIComponent", encodeURIComponent(key), ""],
  ["encodeURIComponent, lower case", encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase()), ""],
  ["encodeURIComponent twice", encodeURIComponent(encodeURIComponent(key)), ""],
  ["encodeURI", encodeURI(key), ""],
  ["Python's quote", "sk-ant-api03-AbCd%2BEfGh/1234567890%3D%3Dzz", ""],
  ["every byte percent-encoded", percent(key), ""],
  ["every byte percent-encoded, upper case", percent(key).toUpperCase(), ""],
  ["hexadecimal", hex(key), ""],
  ["hexadecimal, upper case", hex(key).toUpperCase(), ""],
  ["JSON of PHP", '{"key":"sk-ant-api03-AbCd+EfGh\\/1234567890==zz"}', '{"key":""}'],
  ["JSON of .NET", '"sk-ant-api03-AbCd\\u002BEfGh/1234567890==zz"', '""'],
  ["base64", base64(key), "g=="],
  ["Basic, with a user", `Basic ${base64(`user:${key}`)}`, "Basic dXNlcjp"],
  ["Basic, with another user", `Basic ${base64(`us:${key}`)}`, "Basic dXM6g=="],
  ["Basic, the key as the user", `Basic ${base64(`${key}:`)}`, "Basic jo="],
  ["base64url between other bytes", Buffer.from(`\xff${key}\xff\xff`).toString("base64url"), "w79w7_Dvw"],
])("removes %s", (_, printed, left) => {
  const shown = redact(`before ${printed} after`, [key]);
  expect(shown).toContain("[key removed]");
  expect(shown.replaceAll("[key removed]", "")).toBe(`before ${left} after`);
});

test.each([
  ["the password of a URL", "postgres://app:hunter2%21hunter2@db1.example.com/shop", "hunter2!hunter2"],
  ["the password of a Basic header", `Basic ${base64("app:hunter2!hunter2")}`, "hunter2!hunter2"],
  ["the credentials of a Basic header", `Basic ${base64("app:hunter2!hunter2")}`, base64("app:hunter2!hunter2")],
  ["a value with the quotes of a file of variables", '"kQ3v9ZxT7m"', "kQ3v9ZxT7m"],
  ["a line of a PEM file", `-----BEGIN PRIVATE KEY-----\r\n${digest.slice(0, 64)}\r\n`, digest.slice(0, 64)],
  ["a key in a file with a line feed", `${digest}\n`, digest],
  ["a key that is not ASCII", "pässwörd", '"p\\u00e4ssw\\u00f6rd"'],
  ["a key with half a character", "passw\ud800rd", "passw\ud800rd"],
])("removes %s", (_, secret, printed) => {
  expect(redact(`a ${printed} b`, [secret])).toMatch(/^a "?\[key removed\]"? b$/);
});

test.each([
  ["a key of 7 characters", "passwor", "passwor"],
  ["what servers without keys tell people to set", "lm-studio", "an lm-studio server"],
  ["half of a key", digest, `${digest.slice(0, 43)} ${digest.slice(43)}`],
  ["a key that is wrapped", digest, digest.replace(/.{40}/g, "$&\n")],
  ["a key with a terminal sequence inside", digest, `${digest.slice(0, 9)}\u001b[m${digest.slice(9)}`],
  ["a key in another case", digest, digest.toLowerCase()],
  ["a line of a PEM file that every such file has", "-----BEGIN PRIVATE KEY-----\nx", "-----BEGIN PRIVATE KEY-----"],
  ["the server of a URL", "postgres://app:hunter2hunter2@db1.example.com/shop", "@db1.example.com/shop"],
  ["an empty value", "", "a"],
])("leaves %s", (_, secret, text) => {
  expect(redact(text, [secret])).toBe(text);
});

test("leaves nothing of keys that contain or overlap each other", () => {
  const secrets = ["sk-secret", "sk-secret-and-more", "and-more-of-it"];
  expect(redact("sk-secret-and-more sk-secret sk-secret-and-more-of-it.", secrets)).toBe(
    "[key removed] [key removed] [key removed].",
  );
  expect(redact("sk-secretsk-secret", secrets)).toBe("[key removed][key removed]");
});

test("learns a key that is added to the same list later", () => {
  const secrets = ["another-key-1"];
  expect(redact(key, secrets)).toBe(key);
  secrets.push(key);
  expect(redact(key, secrets)).toBe("[key removed]");
});

const anyKey = fc.oneof(fc.stringMatching(/^[\w-]{8,80}$/), fc.string({ minLength: 8, unit: "binary" }));
const innocent = fc.array(fc.constantFrom("word", " ", "\n", "é", "\u001b[1m:", "0", "=", "\ud83d\ude00", "\ud800"));

test("finds a key next to any text, and changes no text without one", () => {
  const property = fc.property(fc.array(anyKey, { minLength: 1 }), innocent, innocent, (keys, left, right) => {
    const [before, after] = [left.join(""), right.join("")];
    expect(redact(before, ["no such key"])).toBe(before);
    for (const secret of keys.filter((one) => one === one.trim() && one.isWellFormed()))
      for (const printed of [secret, hex(secret), encodeURIComponent(secret), percent(secret)])
        expect(redact(`${before} ${printed} ${after}`, keys)).not.toContain(` ${printed} `);
  });
  fc.assert(property, { numRuns: some(100) });
});

test("a text in pieces loses the same as the whole text", () => {
  const keys = ["sk-secret", "sk-secret-and-more", "and-more-of-it", key];
  const piece = fc.constantFrom(...keys, "sk-secret-", "and-more", "of-it", "s", "x", key.slice(0, 20), key.slice(20));
  const property = fc.property(fc.array(piece), fc.array(fc.nat(20), { minLength: 1 }), (pieces, lengths) => {
    const text = pieces.join("");
    const redactor = new Redactor(keys);
    let shown = "";
    for (let at = 0, step = 0; at < text.length; step++) {
      const length = lengths[step % lengths.length] || 1;
      shown += redactor.push(text.slice(at, at + length));
      at += length;
    }
    expect(shown + redactor.end()).toBe(redact(text, keys));
    expect(redactor.hasFound).toBe(redact(text, keys) !== text);
  });
  fc.assert(property, { numRuns: some(1_000) });
});

test.each([
  ["beginnings of a key", digest.slice(0, 40)],
  ["ends of a key", digest.slice(-40)],
  ["a key", digest],
  ["a character that a key repeats", "a"],
  ["an encoded key", hex(digest)],
])("takes linear time for %s again and again", (_, part) => {
  expectLinear((text) => redact(text, [digest, "a".repeat(60)]), part, 1_000_000);
});

const outcomeOf = (json: string) => ({ envelope: JSON.parse(json), json, durationMs: 1, notes: [] });

test.each([
  ["as it is", `{"tool_success":true,"result":{"output":"a ${key} b"}}`],
  ["with escaped slashes", JSON.stringify({ tool_success: true, result: { output: key } }).replaceAll("/", "\\/")],
  ["as a name", JSON.stringify({ tool_success: true, result: { [key]: 1 } })],
  ["in JSON in a string", JSON.stringify({ tool_success: true, result: { output: JSON.stringify({ a: key }) } })],
])("removes a key from a result, written %s", async (_, json) => {
  const { envelope, json: clean } = await withoutSecrets(outcomeOf(json), [key]);
  expect(JSON.stringify(envelope)).toContain("[key removed]");
  expect([JSON.stringify(JSON.parse(clean)), JSON.stringify(envelope)].join()).not.toContain("1234567890");
});

test("damages no result and no session with a key of digits", async () => {
  const secret = "12345678";
  const json = '{"tool_success":true,"result":{"bytes":12345678,"part":0.123456789,"output":"12345678"}}';
  const { json: clean } = await withoutSecrets(outcomeOf(json), [secret]);
  expect(clean).toBe(json.replace('"12345678"', '"[key removed]"'));
  const home = await tempDir();
  const { id, log } = startConversation({ home, cwd: "/proj", secrets: [secret] });
  log.append({ type: "user", text: `say ${secret}` });
  const usage = { inputTokens: 12345678, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const call = { type: "tool_call", id: "c1", name: "show", arguments: '{"from":12345678}' } as const;
  log.append(call);
  log.append({ type: "step_end", model: "m", finish: "stop", usage });
  log.append({ type: "tool_result", id: "c1", name: "show", json, durationMs: 0.123456781 });
  log.close();
  const { conversation, notices } = resumeConversation({ home, cwd: "/proj", id });
  expect(notices).toEqual([]);
  expect(conversation.messages).toEqual([
    { role: "user", text: "say [key removed]" },
    { role: "assistant", model: "m", parts: [call] },
    { role: "tool", id: "c1", name: "show", json: clean, durationMs: 0.123456781 },
  ]);
  expect(conversation.usage.inputTokens).toBe(12345678);
});

test("keeps JSON valid, and unchanged without a key", () => {
  const odd = fc.string({ unit: fc.constantFrom(...'"\\{}[]:, n1ké/\u001b'), minLength: 8, maxLength: 24 });
  const secrets = fc.oneof(fc.constantFrom("12345678", key, '"quoted"\\', "00000000"), odd);
  fc.assert(
    fc.property(fc.json(), secrets, (json, given) => {
      const secret = `x${given}x`;
      expect(redactJson(json, ["no such key"])).toBe(json);
      const text = JSON.stringify({ json, secret, [secret]: [secret, `${secret}${json}`] });
      const clean = JSON.parse(redactJson(text, [secret]));
      expect(clean.secret).toBe("[key removed]");
      expect(clean["[key removed]"][0]).toBe("[key removed]");
      for (const known of [given, `"${given}"`, text]) JSON.parse(redactJson(text, [known]));
    }),
    { numRuns: some(500) },
  );
});
