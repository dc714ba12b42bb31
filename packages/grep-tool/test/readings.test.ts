// @module-tag tables
// Patterns as models write them: what POSIX can say is searched for, the rest is refused with what to do. JavaScript's engine says what is right.
import { compile } from "@ikigai/posix/ere";
import { call, ownExecutable, tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { translate } from "../src/pattern-readings.ts";

const bin = ownExecutable(import.meta.url);

const atom = fc.constantFrom(
  ...[
    "a",
    "b",
    "_",
    " ",
    "-",
    "A",
    "0",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\D",
    "\\W",
    "\\S",
    "\\.",
    "\\-",
    "\\/",
    "\\t",
    "\\x41",
    "\\u0061",
    "\\]",
  ],
);
const inList = fc.constantFrom(
  ...[
    "a",
    "b-d",
    "\\d",
    "\\w",
    "\\s",
    "\\W",
    "\\S",
    "\\]",
    "\\[",
    "\\-",
    "\\^",
    "_",
    ".",
    "\\\\",
    "[",
    "(",
    "\\x30-\\x39",
    "|",
  ],
);
const list = fc
  .tuple(fc.constantFrom("", "^"), fc.array(inList, { minLength: 1, maxLength: 3 }))
  .map(([negation, items]) => `[${negation}${items.join("")}]`);
const repeated = fc
  .tuple(fc.oneof(atom, list), fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "??", "{1,2}", "{2}", "{1,}?"))
  .map((parts) => parts.join(""));
const branch = fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const group = fc
  .tuple(
    fc.constantFrom("(", "(?:", "(?<x>"),
    branch,
    fc.constantFrom("", "|a", "|bc"),
    fc.constantFrom(")", ")*", ")+?", ")?"),
  )
  .map((parts) => parts.join(""));
const look = fc.constantFrom("a", "ab", "\\d", "[ab]", "\\w", "0-", "[^a]");
const pattern = fc
  .tuple(
    fc.option(fc.tuple(fc.constantFrom("(?<=", "(?<!"), look), { nil: undefined }),
    fc.constantFrom("", "", "^", "\\b"),
    branch,
    fc.option(group, { nil: "" }),
    fc.constantFrom("", "", "(b)\\1", "(.)\\2"),
    fc.option(fc.tuple(fc.constantFrom("(?=", "(?!"), look), { nil: undefined }),
    fc.constantFrom("", "", "$"),
  )
  .map(([behind, start, first, second, reference, ahead, end]) => {
    const before = behind ? `${behind.join("")})` : "";
    return `${before}${start}${first}${second}${reference}${ahead ? `${ahead.join("")})` : end}`;
  });
const line = fc.string({ unit: fc.constantFrom(..."abcd_ -A01.][^\\\t/|("), maxLength: 9 });

test("a translated pattern finds the lines that JavaScript's engine finds", () => {
  let translations = 0;
  fc.assert(
    fc.property(pattern, fc.array(line, { minLength: 8, maxLength: 8 }), (text, lines) => {
      const wanted = inJavaScript(text);
      const translated = translate(text);
      if (wanted === undefined || "hint" in translated) return;
      translations++;
      const regex = compile(translated.pattern, translated);
      for (const each of lines)
        expect([text, each, regex.test(Buffer.from(each))]).toEqual([text, each, wanted.test(each)]);
    }),
    { numRuns: inject("isThorough") ? 100_000 : 3_000 },
  );
  expect(translations).toBeGreaterThan(1_000);
});

/** `undefined` for a reference to a group that is not there or may not match, which mean something else in JavaScript. */
function inJavaScript(text: string): RegExp | undefined {
  const groups = (new RegExp(`${text}|`).exec("")?.length ?? 0) - 1;
  const [, reference] = /\\([12])/.exec(text) ?? [];
  return reference && Number(reference) !== groups ? undefined : new RegExp(text, "s");
}

const lines = [
  "foo(bar)",
  "FooBar",
  "foobaz",
  "a|b",
  "\tx = 'y'",
  "interface{}",
  "items[a]",
  "<b>1</b>",
  "日本",
  "x1_",
];

/** Calls the tool as a conversation does. */
async function ask(pattern: string) {
  const cwd = await tempDir({ a: `${lines.join("\n")}\n` });
  const { result } = await call(bin, { pattern, path: "a" }, { cwd, env: { IKIGAI_ANSWER_BYTES: "15000" } });
  const found = String(result?.output ?? "").split("\n");
  return { ...result, found: found.filter(Boolean).map((each) => each.replace(/^a:\d+: /, "")) };
}

describe("in a conversation", () => {
  test.each([
    ["(?i)FOOBAR", ["FooBar"]],
    ["(?i:foob)AR", []],
    ["^(?i)foob", ["FooBar", "foobaz"]],
    ["(?i:FOOB)a[z]|(?i:X)=", ["foobaz"]],
    ["(?:foo|x)ba", ["foobaz"]],
    ["(?P<word>o)(?P=word)ba", ["foobaz"]],
    ["foo(?!bar)|Foo(?!Ba)", ["foo(bar)", "foobaz"]],
    ["(?<=foo)baz", ["foobaz"]],
    ["^\\s+x\\s*=\\s*\\'y\\'", ["\tx = 'y'"]],
    ["^\\tx", ["\tx = 'y'"]],
    ["interface{}", ["interface{}"]],
    ["<b>.+?</b>", ["<b>1</b>"]],
    ["[^\\x00-\\x7F]", ["日本"]],
    ["\\p{Han}", ["日本"]],
    ["^[^\\W_]+$", ["FooBar", "foobaz", "日本"]],
    ["x1_\\n", ["x1_"]],
    ["\\Qa|b\\E", ["a|b"]],
  ])("%s finds what other engines find", async (pattern, found) => {
    const answer = await ask(pattern);
    expect(answer.found).toEqual(found);
    expect(answer).not.toHaveProperty("hint");
  });

  test.each([
    ["FooBar\\|foobaz", ["FooBar", "foobaz"], "write '|'"],
    ["foo(\\|items[", ["foo(bar)", "items[a]"], "write '|'"],
    ["foo(", ["foo(bar)"], "write 'foo\\('."],
    ["foo(bar)", ["foo(bar)"], "write 'foo\\(bar\\)'."],
    ["items[a", ["items[a]"], "write 'items\\[a'."],
    ["\\(Foo\\|foob\\)a", ["foobaz"], "write '|'"],
    ["FooBar (b", [], "write 'FooBar \\(b'."],
    ["{}$ (x", [], "Brackets were taken as characters: write"],
    ["+ (b", [], "so searched for as text: write '\\+ \\(b'."],
    [" [", [], "write ' \\['."],
    ["*foo", [], "Not a regular expression (Invalid preceding regular expression), so searched for as text"],
    ["a\\|b", ["a|b"], undefined],
  ])("%s is read as it was meant, and the hint says how to write it", async (pattern, found, hint) => {
    const answer = await ask(pattern);
    expect(answer.found).toEqual(found);
    if (hint === undefined) expect(answer).not.toHaveProperty("hint");
    else expect(answer).toMatchObject({ hint: expect.stringContaining(hint) });
  });

  test.each([
    ["foo\\nbar", "grep -Pzo"],
    ["foo(?=b)az", "(lookaround)"],
    ["^(?!.*foo)", "grep -P"],
    ["(?x) a b", "leave it out"],
    ["\\p{Emoji}", "write a list"],
    ["(?R)", "without it"],
  ])("%s is refused, with what to do", async (pattern, hint) => {
    expect(await ask(pattern)).toMatchObject({ error_code: "INVALID_PATTERN", hint: expect.stringContaining(hint) });
  });
});
