import { expect, test } from "vitest";
import { exactly, matchesWildcard } from "../src/rules/wildcard.ts";

test.each([
  ["a", ["a"], ["", "aa", "ab"]],
  ["*", ["", "a", "a\nb"], []],
  ["a*", ["a", "ab"], ["", "ba"]],
  ["*a", ["a", "ba"], ["", "ab"]],
  ["a*a", ["aa", "aba"], ["a"]],
  ["a*b*b", ["abb", "axbxb"], ["ab", "axb"]],
  ["a*b*c*", ["abc", "a-b-c-"], ["acb", "ab"]],
  ["a**b", ["ab", "axb"], ["a"]],
  ["a\\*b", ["a*b"], ["ab", "axb"]],
  ["a\\\\*", ["a\\", "a\\b"], ["a*"]],
])("matches %s with all of these and none of those", (pattern, texts, others) => {
  for (const text of texts) expect(matchesWildcard(pattern, text), text).toBe(true);
  for (const text of others) expect(matchesWildcard(pattern, text), text).toBe(false);
});

test("matches an escaped text only with itself", () => {
  for (const text of ["a*b", "a\\b", "\\*", "*"]) {
    expect(matchesWildcard(exactly(text), text), text).toBe(true);
    expect(matchesWildcard(exactly(text), `${text}x`), text).toBe(false);
    expect(matchesWildcard(exactly(text), text.replace("*", "x")), text).toBe(!text.includes("*"));
  }
});
