import { expect, test } from "vitest";
import { compile } from "../../src/ere/index.ts";

test.each([
  ["(", "REG_EPAREN"],
  ["a(b|c", "REG_EPAREN"],
  ["a{1", "REG_EBRACE"],
  ["a{1,", "REG_EBRACE"],
  ["a{}", "REG_BADBR"],
  ["a{x}", "REG_BADBR"],
  ["a{1x}", "REG_BADBR"],
  ["a{1,2,3}", "REG_BADBR"],
  ["a{-1}", "REG_BADBR"],
  ["a{32768}", "REG_ESIZE"],
  ["a{1,32768}", "REG_ESIZE"],
  ["a{32768,}", "REG_ESIZE"],
  ["+", "REG_BADRPT"],
  ["?", "REG_BADRPT"],
  ["{1}", "REG_BADRPT"],
  ["(*a)", "REG_BADRPT"],
  ["a|*b", "REG_BADRPT"],
  ["^*", "REG_BADRPT"],
  ["[", "REG_BADPAT"],
  ["[^", "REG_BADPAT"],
  ["[]", "REG_EBRACK"],
  ["[[:]", "REG_EBRACK"],
  ["[^]", "REG_EBRACK"],
  ["[a-", "REG_EBRACK"],
  ["[[:alpha", "REG_EBRACK"],
  ["[[:alpha:", "REG_EBRACK"],
  ["[[:alpha:]", "REG_EBRACK"],
  ["[[.a", "REG_EBRACK"],
  ["[[=a=", "REG_EBRACK"],
  ["[[:Alpha:]]", "REG_ECTYPE"],
  ["[[::]]", "REG_ECTYPE"],
  ["[[.ab.]]", "REG_ECOLLATE"],
  ["[[..]]", "REG_ECOLLATE"],
  ["[[.space.]]", "REG_ECOLLATE"],
  ["[[=ab=]]", "REG_ECOLLATE"],
  ["[[==]]", "REG_ECOLLATE"],
  ["[c-a]", "REG_ERANGE"],
  ["[a-c-e]", "REG_ERANGE"],
  ["[a--]", "REG_ERANGE"],
  ["[a-[:digit:]]", "REG_ERANGE"],
  ["[a-[=c=]]", "REG_ERANGE"],
  ["[[:digit:]-a-c]", "REG_ERANGE"],
  ["a\\", "REG_EESCAPE"],
  ["(a\\", "REG_EESCAPE"],
  ["\\1", "REG_ESUBREG"],
  ["(a)\\2", "REG_ESUBREG"],
  ["(a\\1)", "REG_ESUBREG"],
  ["(a)|\\1", "REG_ESUBREG"],
])("rejects %j with %s", (pattern, code) => {
  expect(() => compile(pattern)).toThrow(expect.objectContaining({ code }));
});

test("reports a pattern that ends inside a bracket with its own message", () => {
  expect(() => compile("[")).toThrow("Invalid regular expression");
});

/** The largest accepted value, and one too many. */
test.each([
  ["the number in an interval", "a{32767}", "a{32768}", "REG_ESIZE"],
  ["the minimum without a maximum", "a{32767,}", "a{32768,}", "REG_ESIZE"],
  ["the depth of groups", "(".repeat(1_000) + ")".repeat(1_000), "(".repeat(1_001) + ")".repeat(1_001), "REG_ESPACE"],
  ["the instructions of a pattern", "a{32767}{4}aaa", "a{32767}{4}aaaa", "REG_ESPACE"],
  ["the instructions with back-references", "(a)\\1b{32767}b{32764}", "(a)\\1b{32767}b{32765}", "REG_ESPACE"],
])("there is a limit on %s", (_, largest, tooLarge, code) => {
  expect(() => compile(largest)).not.toThrow();
  expect(() => compile(tooLarge)).toThrow(expect.objectContaining({ code }));
});

test("the name of a class has at most 31 bytes", () => {
  const withName = (length: number) => compile(`[[:${"a".repeat(length)}:]]`);
  expect(() => withName(31)).toThrow(expect.objectContaining({ code: "REG_ECTYPE" }));
  expect(() => withName(32)).toThrow(expect.objectContaining({ code: "REG_EBRACK" }));
});
