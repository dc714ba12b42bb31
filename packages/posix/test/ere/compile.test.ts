import { describe, expect, test } from "vitest";
import { compile, PatternError } from "../../src/ere/index.ts";

function matches(pattern: string, text: string, ignoreCase = false): boolean {
  return compile(pattern, { ignoreCase }).test(Buffer.from(text));
}

describe("a pattern", () => {
  test.each([
    ["abc", "xabcx", true],
    ["^abc$", "xabc", false],
    ["a.c", "aéc", true],
    ["a|b|", "", true],
    ["(ab)+c", "ababc", true],
    ["a{2,3}b", "ab", false],
    ["a{,2}b", "b", true],
    ["[]a]", "]", true],
    ["[^]a]", "b", true],
    ["[a-c-]", "-", true],
    ["[[:digit:][:upper:]]x", "Ax", true],
    ["[[=a=][.b.]]", "b", true],
    ["\\<foo\\>", "a foo b", true],
    ["\\<foo\\>", "afoo", false],
    ["\\bfoo\\B", "foox", true],
    ["\\w+\\s\\W", "é !", true],
    ["^\\d\\D$", "1a", true],
    ["a**", "", true],
    ["()", "", true],
    ["x$y", "x$y", false],
    ["a^b", "a^b", false],
    ["\\*\\.\\\\", "*.\\", true],
    ["\u{1f600}{2}", "\u{1f600}\u{1f600}", true],
    [")", ")", true],
    ["(..)*(...)*", "", true],
  ])("%j on %j: %j", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ["straße", "STRASSE", false],
    ["ÉCOLE", "école", true],
    ["[a-z]", "Q", true],
    ["[^a]", "A", false],
    ["[[:upper:]]", "q", true],
    ["k", "\u212a", false],
  ])("%j on %j, ignoring case: %j", (pattern, text, expected) => {
    expect(matches(pattern, text, true)).toBe(expected);
  });

  test.each([
    ["(a", "REG_EPAREN", "Unmatched ( or \\("],
    ["a{", "REG_EBRACE", "Unmatched \\{"],
    ["a{2,1}", "REG_BADBR", "Invalid content of \\{\\}"],
    ["a{99999}", "REG_ESIZE", "Regular expression too big"],
    ["*a", "REG_BADRPT", "Invalid preceding regular expression"],
    ["[b-a]", "REG_ERANGE", "Invalid range end"],
    ["[[:foo:]]", "REG_ECTYPE", "Invalid character class name"],
    ["[[.foo.]]", "REG_ECOLLATE", "Invalid collation character"],
    ["[a", "REG_EBRACK", "Unmatched [, [^, [:, [., or [="],
    ["a\\", "REG_EESCAPE", "Trailing backslash"],
    ["\\1(a)", "REG_ESUBREG", "Invalid back reference"],
    ["^((a{1,255}){1,255}){1,255}$", "REG_ESPACE", "Memory exhausted"],
    ["(".repeat(2_000) + ")".repeat(2_000), "REG_ESPACE", "Memory exhausted"],
  ])("rejects %j with %s", (pattern, code, message) => {
    expect(() => compile(pattern)).toThrow(expect.objectContaining({ code, message }));
    expect(() => compile(pattern)).toThrow(PatternError);
  });
});

describe("a back-reference", () => {
  test.each([
    ["(a*)b\\1$", "aabaa", true],
    ["^(a*)b\\1$", "aaba", false],
    ["(.)(.)\\2\\1", "xabbay", true],
    ["(a|b)\\1", "ab", false],
    ["(é)\\1", "éé", true],
    ["(..)+\\1$", "abcdcd", true],
    ["^(a(b)?)+\\2$", "abab", true],
  ])("%j on %j: %j", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test("ignores case like the pattern", () => {
    expect(matches("(ab)\\1", "abAB", true)).toBe(true);
    expect(matches("(ab)\\1", "abAB")).toBe(false);
  });
});

describe("bytes that are not characters", () => {
  test("match nothing, and hide nothing", () => {
    const text = Buffer.from([0x61, 0xff, 0x62, 0xc3]);
    expect(compile("a.b").test(text)).toBe(false);
    expect(compile("a[^x]b").test(text)).toBe(false);
    expect(compile("b").test(text)).toBe(true);
  });
});
