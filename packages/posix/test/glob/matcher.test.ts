import { expect, test } from "vitest";
import { escapeGlob, matcher } from "../../src/glob/index.ts";

test.each([
  ["a", "a", true],
  ["a", "ab", false],
  ["*", "", true],
  ["*", ".a/b", true],
  ["npm *", "npm run test", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["*ab", "aab", true],
  ["*[ab]*[c]", "xc", false],
  ["*[ab]*[c]", "xac", true],
  ["*ab*b", "ab", false],
  ["ab*ba", "aba", false],
  ["?", "é", true],
  ["?", "\u{1f600}", true],
  ["??", "é", false],
  ["[é-ü]", "ö", true],
  ["[\u{1f600}-\u{1f64f}]", "\u{1f610}", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["a\\", "a\\", false],
  ["[!a]", "b", true],
  ["[^a]", "a", false],
  ["[]a]", "]", true],
  ["[!]a]", "]", false],
  ["[a-]", "-", true],
  ["[--0]", ".", true],
  ["[\\]]", "]", true],
  ["[a\\-z]", "b", false],
  ["[z-a]", "z", false],
  ["[a-c-e]", "d", false],
  ["[a", "[a", true],
  ["[]", "[]", true],
  ["[[:alpha:][:digit:]]", "7", true],
  ["[[:alpha:]", "[a", true],
  ["[![:space:]]", " ", false],
  ["[[=a=]b]", "a", true],
  ["[[=a=]b]", "=", false],
  ["[[=ab=]]", "a", false],
  ["[[=ab=]]", "a]", true],
  ["[[.a.]-[.c.]]", "b", true],
  ["[[.-.]]", "-", true],
  ["[[.].]]", "]", true],
  ["[[:word:]]", "a", false],
  ["[![:word:]]", "a", false],
  ["[a[:word:]]", "a", true],
  ["[[.ab.]]", "a", false],
  ["[a[.]", "[a.", true],
  ["[a[.]", "a", false],
])("%j on %j is %s", (pattern, text, expected) => {
  expect(matcher(pattern)(text)).toBe(expected);
});

test.each([
  ["alnum", "aZ9é٣", " -"],
  ["alpha", "aZé٣", "9 _"],
  ["blank", " \t\u3000", "\n\u00a0a"],
  ["cntrl", "\u0000\u007f\u0085", " a"],
  ["digit", "09", "a٣"],
  ["graph", "a!é\u00a0", " \t\u2003"],
  ["lower", "azéß", "AÉ1"],
  ["print", "a é", "\t\u007f"],
  ["punct", "!_$€\u00a0", "aé 9"],
  ["space", " \n\v\u2028", "a\u00a0"],
  ["upper", "AÉǅ", "aé1"],
  ["xdigit", "09afAF", "gG"],
])("[:%s:] contains the same characters as glibc's", (name, members, others) => {
  const matches = matcher(`[[:${name}:]]`);
  for (const member of members) expect({ member, is: matches(member) }).toEqual({ member, is: true });
  for (const other of others) expect({ other, is: matches(other) }).toEqual({ other, is: false });
});

test("limits the name of a class to 64 characters; a longer one is a list", () => {
  const matchesWithName = (length: number) => matcher(`[[:${"a".repeat(length)}:]]`)("a]");
  expect(matchesWithName(64)).toBe(false);
  expect(matchesWithName(65)).toBe(true);
});

test("matches only itself if a text is escaped", () => {
  const text = "a*b?[c]\\d";
  expect(matcher(escapeGlob(text))(text)).toBe(true);
  expect(matcher(escapeGlob(text))("aXbYc\\d")).toBe(false);
});

test.each(["*a".repeat(2_000), "*?a".repeat(2_000), "[".repeat(50_000), "[a".repeat(20_000), "[[.".repeat(20_000)])(
  "no pattern makes it explode (%#)",
  (pattern) => {
    const before = process.cpuUsage().user;
    expect(matcher(`${pattern}b`)("a".repeat(50_000))).toBe(false);
    expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
  },
);
