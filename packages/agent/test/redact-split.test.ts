import { createHash } from "node:crypto";
import { redact, redactJson } from "@ikigai/system";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expectLinear } from "./growth.ts";

const secret = `sk-proj-${createHash("sha512").update("a key").digest("base64url")}`;

/** What a program may put inside a key. */
const separators = [
  ...[
    "\u001b[31m",
    "\u001b[4:3m",
    "\u001b[58:2::1:2:3m",
    "\u001b[5X",
    "\u001b[?25l",
    "\u001b[>4;2m",
    "\u009b1m",
    "\u001b[2 q",
  ],
  ...[
    "\u001b]8;;http://x\u0007",
    "\u001b]0;a b\u001b\\",
    "\u001bPq\u001b\\",
    "\u001b_a\u009c",
    "\u009d0;a\u009c",
    "\u001b7",
    "\u001b(B",
  ],
  ...["\u200b", "\u00ad", "\u034f", "\u3164", "\u{e0041}", "\u0000", "\ufe0f", "\ud800"],
  ...[
    "\n",
    "\r\n",
    "\r",
    "\r\r\n",
    "\n\n",
    "\v",
    "\f",
    "\u0085",
    "\u2028",
    "\u2029",
    "  \n",
    "\n\t ",
    " \n \n ",
    "\u00a0\r\n\u00a0",
  ],
  ...["\n\u3000", " \u001b[m\n\u001b[1m ", " \u200b \n", " \u0085 ", " \v "],
];

const keys = fc.stringMatching(/^[a-zA-Z0-9_-]{30,80}$/).filter((key) => new Set(key).size > 12);
const innocent = fc.array(
  fc.constantFrom("word", " ", "\n", "é", "\u001b[1m:", "\u200b:", "  ", "0", "=", "\t", "\ud83d\ude00", "“"),
);

test("leaves no part of 16 characters of a key, whatever separates its characters, and keeps the text around it", () => {
  const separated = fc.array(fc.constantFrom(...separators, "", "", ""), { minLength: 80, maxLength: 80 });
  const property = fc.property(keys, separated, innocent, innocent, fc.nat(60), (key, between, left, right, from) => {
    const [before, after] = [`${left.join("")}: `, ` (${right.join("")}`];
    for (const part of [key, key.slice(from, from + 20)].filter(({ length }) => length >= 16)) {
      const [first = "", ...rest] = part;
      const split = first + rest.map((character, at) => (between[at] ?? "") + character).join("");
      const shown = redact(before + split + after, [key]);
      // Half of it may be a word.
      if (part !== key && shown === before + split + after)
        expect(part).toMatch(/^(?:[a-z_-]*|[A-Z_-]*|\D{0,15}|(?:[_-]*\d){0,5}[_-]*)$/i);
      else expect(shown).toBe(`${before}[key removed]${after}`);
      expect(JSON.parse(redactJson(JSON.stringify({ split }), [key])).split).toBe(redact(split, [key]));
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test("changes no text that has no key", () => {
  const texts = fc.array(fc.oneof(innocent, fc.array(fc.constantFrom(...separators)), fc.array(fc.string())));
  fc.assert(
    fc.property(keys, texts, (key, pieces) => {
      const text = pieces.flat().join("");
      expect(redact(text, [key])).toBe(text);
    }),
  );
});

test.each([
  ["in the title of a window", `a \u001b]0;x ${secret}\u0007 b`, "a \u001b]0;x [key removed]\u0007 b"],
  ["behind half of a style", `a \u001b[${secret} b`, "a \u001b[[key removed] b"],
  ["in rows with spaces at their end", `${secret.slice(0, 12)}   \n${secret.slice(12)}   \nb`, "[key removed]   \nb"],
  ["that has line breaks itself", `a ${secret.slice(0, 9)}\r\n${secret.slice(9)}\r\nb`, "a [key removed]\r\nb"],
])("removes a key %s", (_, text, clean) => {
  for (const key of [secret, `${secret.slice(0, 30)}\n${secret.slice(30)}\n`]) expect(redact(text, [key])).toBe(clean);
});

test("a line break ends a part of a key where the next line begins like the rest of it", () => {
  const key = "kQ3v9ZxT7mLp2RwY8sBn";
  expect(redact(`a ${key.slice(0, 12)}\n${key[12]}other`, [key])).toBe(`a [key removed]\n${key[12]}other`);
  expect(redact(`other${key[7]}\n${key.slice(8)} b`, [key])).toBe(`other${key[7]}\n[key removed] b`);
});

test("learns a key that is added to the same list later", () => {
  const secrets = ["another-key-1"];
  expect(redact(secret, secrets)).toBe(secret);
  secrets.push(secret);
  expect(redact(secret, secrets)).toBe("[key removed]");
});

test.each([
  ["a CSI sequence without an end", "1;"],
  ["escape characters", "\u001b["],
  ["strings without an end", "\u009dabc"],
  ["spaces", " "],
  ["short lines", "a \n"],
  ["invisible characters", "\u200b\u{e0041}"],
  ["halves of characters", "\ud800"],
  ["beginnings of a key", secret.slice(0, 16)],
  ["ends of a key", secret.slice(-16)],
  ["wrapped keys", `${secret.slice(0, 16)}\n${secret.slice(16)}`],
  ["keys with a line break after each character", [...secret].join("\n")],
])("takes linear time for %s again and again", (_, part) => {
  expectLinear((text) => redact(`\u001b[${text}`, [secret]), part, 1_000_000);
});

test("reads a sequence of any length", () => {
  const text = `${secret}\u001b[${"1;".repeat(3_000_000)}`;
  expect(redact(text, [secret]).startsWith("[key removed]\u001b[1;")).toBe(true);
});

test("takes the time of a long text for very many short ones in JSON", () => {
  const strings = '"abcdef",'.repeat(300_000);
  const timeOf = (json: string) => {
    const start = process.cpuUsage();
    redactJson(json, [secret]);
    return process.cpuUsage(start).user / 1_000;
  };
  const long = Math.min(...[1, 2, 3].map(() => timeOf(`{"x":["\\n${"abcdef+*,".repeat(300_000)}"]}`)));
  expect(timeOf(`{"x":["\\n",${strings}"z"]}`)).toBeLessThan(15 * long + 50);
});

test("JSON stays JSON, whatever a key has in it", () => {
  const odd = fc.string({
    unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", " ", "n", "1", "k", "é"),
    minLength: 8,
    maxLength: 24,
  });
  fc.assert(
    fc.property(odd, fc.jsonValue(), fc.nat(24), (secret, more, at) => {
      for (const value of [secret, secret.slice(at), `${secret.slice(0, at)}"`, `x ${secret} y`]) {
        const json = JSON.stringify({ [value]: 1, value, more });
        for (const known of [secret, `"${secret}"`, JSON.stringify(value)]) JSON.parse(redactJson(json, [known]));
      }
    }),
    { numRuns: 500 },
  );
});

test("a key with the quotes of a file of variables is found without them", () => {
  for (const secret of ["kQ3v9ZxT7m", "kQ3v9ZxT7mLp2RwY8sBn4HcJ6dFgA1eX"])
    for (const known of [`"${secret}"`, `'${secret}'`]) {
      expect(redact(`KEY=${secret}.`, [known])).toBe("KEY=[key removed].");
      expect(redactJson(JSON.stringify({ output: secret }), [known])).toBe('{"output":"[key removed]"}');
    }
});
