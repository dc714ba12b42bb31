import { createHash } from "node:crypto";
import { redact, redactJson } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { resumeConversation, startConversation } from "../src/internal.ts";
import { withoutSecrets } from "../src/turn/without-secrets.ts";

const key = "sk/very+secret";

const outcomeOf = (json: string) => ({ envelope: JSON.parse(json), json, durationMs: 1, notes: [] });

test.each([
  ["as it is", `{"tool_success":true,"result":{"output":"a ${key} b"}}`],
  ["with escaped slashes", '{"tool_success":true,"result":{"output":"a sk\\/very+secret b"}}'],
  ["with other escapes", '{"tool_success":true,"result":{"output":"\\"\\u0073k/very\\u002bsecret\\\\"}}'],
  ["as a name", '{"tool_success":true,"result":{"sk\\/very+secret":1}}'],
])("removes a key from a result, written %s", async (_, json) => {
  const { envelope, json: clean } = await withoutSecrets(outcomeOf(json), [key]);
  expect(JSON.stringify(envelope)).toContain("[key removed]");
  expect([JSON.stringify(JSON.parse(clean)), JSON.stringify(envelope)].join()).not.toContain("very+secret");
});

test("damages no result and no session with a key of digits", async () => {
  const secret = "12345678";
  const json = '{"tool_success":true,"result":{"bytes":12345678,"part":0.123456789,"output":"12345678"}}';
  const { json: clean } = await withoutSecrets(outcomeOf(json), [secret]);
  expect(JSON.parse(clean)).toEqual({
    tool_success: true,
    result: { bytes: "[key removed]", part: "[key removed]", output: "[key removed]" },
  });
  const home = await tempDir();
  const { id, log } = startConversation({ home, cwd: "/proj", secrets: [secret] });
  log.append({ type: "user", text: `say ${secret}` });
  const usage = { inputTokens: 12345678, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  log.append({ type: "tool_call", id: "c1", name: "show", arguments: '{"from":12345678}' });
  log.append({ type: "step_end", model: "m", finish: "stop", usage });
  log.append({ type: "tool_result", id: "c1", name: "show", json, durationMs: 0.123456781 });
  log.close();
  const { conversation, notices } = resumeConversation({ home, cwd: "/proj", id });
  expect(notices).toEqual([]);
  const call = { type: "tool_call", id: "c1", name: "show", arguments: '{"from":"[key removed]"}' };
  expect(conversation.messages).toEqual([
    { role: "user", text: "say [key removed]" },
    { role: "assistant", model: "m", parts: [call] },
    { role: "tool", id: "c1", name: "show", json: clean, durationMs: 0.123456781 },
  ]);
  expect(conversation.usage.inputTokens).toBe(12345678);
});

test("leaves nothing of two keys of which one is a prefix of the other", () => {
  const secrets = ["sk-secret", "sk-secret-and-more"];
  expect(redact("sk-secret-and-more sk-secret", secrets)).toBe("[key removed] [key removed]");
});

test("keeps JSON valid, and unchanged without a key", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("12345678", key, '"quoted"\\', "00000000"), (json, secret) => {
      expect(redactJson(json, ["no such key"])).toBe(json);
      const text = JSON.stringify({ json, secret, [secret]: [secret, `${secret}${json}`] });
      const clean = JSON.parse(redactJson(text, [secret]));
      expect(clean.secret).toBe("[key removed]");
      expect(clean["[key removed]"][0]).toBe("[key removed]");
    }),
  );
});

test.each([
  ["sk-proj-SECRETabcdefghijklmnopqrstuvwxyz0123456789", 16],
  ["kQ3v9ZxT7mLp2RwY8sBn4HcJ6dFgA1eX", 16],
  ["kQ3v9ZxT7mLp2RwY8sB", 10],
  ["kQ3v9ZxT7mLp2Rw", 8],
  ["kQ3v9ZxT7mLp2R", 14],
  ["49283749182374918237", 10],
  ["4928-3749-1823-7491", 10],
  ["49--28--37--49--18", 10],
  ["QWERTZUIOPASDFGHJKLYXCVBNMQWERTZUIOPASDF", 16],
  ["qwertzuiopasdfghjklyxcvbnmqwertzuiopasdf", 16],
])("leaves less than a part of a key where a text was cut: %s", (secret, part) => {
  for (let length = 1; length < secret.length; length += 1) {
    for (const piece of [secret.slice(0, length), secret.slice(-length)]) {
      const text = (part: string) => `${part}\n… 7 bytes left out …\n${part} b ${part}...${part}`;
      const shown = redact(text(piece), [secret]);
      expect(shown.includes("[key removed]")).toBe(length >= part);
      expect(shown).toBe(text(length < part ? piece : "[key removed]"));
    }
  }
});

test.each([
  ["abc123456789", "def abc123()", "abc123 456789"],
  ["kQ3v9ZxT7mLp2RwY", "kQ3v9ZxT()", "<kQ3v9ZxT>", "(7mLp2RwY)"],
  ["no-key-required", '{"required":["no-key"]}', "required"],
  ["sk-no-key-required", "aria-required\nrequired", "required"],
  ["password-2024!!", "password\nthe password"],
  ["Required-Password", "Required\nPassword"],
  ["kQ3v9ZxT7mLp2RwY8sBn4HcJ6dFgA1eX", "kQ3v9ZxT7mLp2Rwother", "otherBn4HcJ6dFgA1eX", "otherZxT7mLp2RwY8sBnother"],
  [
    "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJleGFtcGxlIn0.kQ3v9ZxT7mLp2RwY8sBn",
    "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJleGFtcGxlIn0.other",
    'const header = "eyJhbGciOiJIUzI1NiJ9";',
    "the header eyJhbGciOiJIUzI1NiJ9 of all such tokens",
  ],
  ["not-needed", "not-needed"],
  ["lm-studio", "an lm-studio server"],
  [
    "postgres://app:hunter2hunter2@db1.example.com:5432/shop",
    "postgres://app:",
    "@db1.example.com:5432/shop",
    "hunter2@db1",
  ],
])("damages no text that has a part of %s by chance: %s", (secret, ...texts) => {
  for (const text of texts) expect(redact(text, [secret])).toBe(text);
});

test("removes a password of a URL from where half of it is shown", () => {
  const url = "postgres://app:hunter2hunter2@db1.example.com:5432/shop";
  expect(redact("to postgres://app:hunter2", [url])).toBe("to [key removed]");
  expect(redact("to postgres://app:hunter", [url])).toBe("to postgres://app:hunter");
  expect(redact("hunter2@db1.example.com:5432/shop", [url])).toBe("[key removed]");
  expect(redact("unter2@db1.example.com:5432/shop", [url])).toBe("unter2@db1.example.com:5432/shop");
});

test.each([1, 5, 15, 40])("removes a key that a program wraps after %d characters", (columns) => {
  const secret = "sk-proj-SECRETabcdefghijklmnopqrstuvwxyz0123456789";
  for (const lineBreak of ["\n", "\r\n", "\n    \t", "  \r\r\n\n"]) {
    const wrapped = (text: string) => text.match(new RegExp(`.{1,${columns}}`, "g"))?.join(lineBreak);
    expect(redact(`KEY=${wrapped(secret)}\nmore`, [secret])).toBe("KEY=[key removed]\nmore");
  }
  expect(redact("KEY=sk-proj-SE\n\nCRETa", [secret])).toBe("KEY=sk-proj-SE\n\nCRETa");
});

test.each([
  ["kQ3v9ZxT7mLp2R", "kQ3v9Zx\nT7mLp2R"],
  ["kQ3v9ZxT7mLp2Rw", "[key removed]"],
])("a line break inside %s", (secret, shown) => {
  expect(redact(`${secret.slice(0, 7)}\n${secret.slice(7)}`, [secret])).toBe(shown);
});

test.each(["\u001b[01;31m\u001b[K", "\u001b]8;;http://x\u001b\\", "\u0000", "\u200b"])(
  "removes a key with %j inside, and a part of one",
  (hidden) => {
    const secret = "sk-proj-SECRETabcdefghijklmnopqrstuvwxyz0123456789";
    const whole = `\u001b[1mKEY=${secret.slice(0, 20)}${hidden}${secret.slice(20)}\u001b[m`;
    const clean = "\u001b[1mKEY=[key removed]\u001b[m";
    expect(redact(whole, [secret])).toBe(clean);
    expect(redact(`KEY=${secret.slice(0, 8)}${hidden}${secret.slice(8, 30)} …`, [secret])).toBe("KEY=[key removed] …");
    expect(redact(`\u001b[1mKEY${hidden}=`, [secret])).toBe(`\u001b[1mKEY${hidden}=`);
    const json = JSON.stringify({ output: whole });
    expect(JSON.parse(redactJson(json, [secret]))).toEqual({ output: clean });
  },
);

test("removes a coloured key that a program wraps", () => {
  const secret = "sk-proj-SECRETabcdefghijklmnopqrstuvwxyz0123456789";
  for (let at = 1; at < secret.length; at++) {
    const rows = `\u001b[31m${secret.slice(0, at)}\u001b[m\n\u001b[31m${secret.slice(at)}\u001b[m`;
    expect(redact(rows, [secret])).toMatch(/^(?:.{0,5}\[key removed\].{0,5}\n?)+$/);
  }
});

test.each([
  ["a beginning", (secret: string) => secret.slice(0, 16)],
  ["line breaks", (secret: string) => `${secret.slice(0, 8)}\n${secret.slice(8, 16)}\n   \n`],
  ["a wrapped key", (secret: string) => `${secret.slice(0, 16)}\n${secret.slice(16)}`],
  ["spaces", (secret: string) => `${secret[0]}\n${" ".repeat(30)}`],
])("takes linear time for %s again and again", (_, part) => {
  const secret = "sk-proj-SECRETabcdefghijklmnopqrstuvwxyz0123456789";
  const before = process.cpuUsage();
  redact(`${secret.slice(0, 20)}\n${secret.slice(20)}${part(secret).repeat(60_000)}`, [secret]);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test("removes a part of 16 characters of a key wherever it is, and no shorter one", () => {
  const secret = createHash("sha512").update("a key").digest("base64url");
  const token = `eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJleGFtcGxlIn0.${secret}`;
  for (const known of [secret, token])
    for (let at = 1; at + 16 < secret.length; at++)
      for (const before of ["", "#".repeat(at), "(".repeat(40)]) {
        expect(redact(`${before}${secret.slice(at, at + 16)}(`, [known])).toBe(`${before}[key removed](`);
        const shorter = `${before}${secret.slice(at, at + 15)}(`;
        expect(redact(shorter, [known])).toBe(shorter);
      }
  const dump = (secret.match(/.{1,16}/g) ?? []).map((row, at) => `000000${at}0  |${row}|`);
  expect(redact(dump.join("\n"), [secret])).not.toMatch(/\|\w{16}\|/);
  expect(redact(`${secret.slice(0, 40)}${secret.slice(20)}`, [secret])).not.toContain(secret.slice(30, 46));
});

test.each([20, 40, 80])("leaves no part of a key that a terminal of %d columns wraps over several rows", (columns) => {
  const secret = createHash("sha512").update("a key").digest("base64url").repeat(2);
  for (const indent of ["", "    "]) {
    const rows: string[] = [];
    for (let at = 0, line = `KEY=${secret}; and more`; at < line.length; at += columns - indent.length)
      rows.push(indent + line.slice(at, at + columns - indent.length));
    const shown = redact(`before\n${rows.join("\n")}\nafter`, [secret]);
    const left = shown
      .split("\n")
      .slice(1, -1)
      .map((row) => row.replaceAll("[key removed]", "").replace(/KEY=|; and more/g, ""));
    expect(Math.max(...left.map((row) => row.trim().length))).toBeLessThan(16);
    expect(shown).toMatch(/^before\n[\s\S]*\[key removed\][\s\S]*\nafter$/);
  }
});

test("damages no row that has no key", () => {
  const url = "postgres://app:hunter2hunter2@db1.example.com:5432/shop";
  const rows = "db1.example.com:5432/shop\npostgres://app:other@db1.example.com:5432/shop\n\n0123456789012345678901234";
  expect(redact(rows, [url, "kQ3v9ZxT7mLp2RwY8sBn4HcJ6dFgA1eX"])).toBe(rows);
  expect(redact(rows, [])).toBe(rows);
});
