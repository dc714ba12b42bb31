import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/ere/index.ts";

/** The matching lines, found by repeated searches. */
function linesFound(pattern: string, text: string, ignoreCase = false): string[] {
  const regex = compile(pattern, { ignoreCase });
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const found = regex.search(bytes, at, bytes.length);
    if (found < 0) break;
    const start = found === 0 ? 0 : bytes.lastIndexOf(0x0a, found - 1) + 1;
    const next = bytes.indexOf(0x0a, found);
    const end = next < 0 ? bytes.length : next;
    lines.push(bytes.toString("utf8", Math.max(at, start), end));
    at = end + 1;
  }
  return lines;
}

describe("a search over many lines", () => {
  test.each([
    ["needle", "a\nneedle\nb\nx needle\n", ["needle", "x needle"]],
    ["^$", "a\n\nb\n", [""]],
    ["a$", "a\nab\nba", ["a", "ba"]],
    ["x*", "a\nb\n", ["a", "b"]],
    ["a\nb", "a\nb\n", []],
    ["foo(bar|baz)?$", "foobar\nfooqux\nfoo", ["foobar", "foo"]],
    ["(.)\\1", "ab\naab\nb\ncc\n", ["aab", "cc"]],
    ["^(a)\\1", "baa\naa\n", ["aa"]],
    ["\\bit\\b", "bit\nit\nsplit it\n", ["it", "split it"]],
    ["[^a]b", "ab\ncb\n\nb\n", ["cb"]],
    ["(xxab|abyy)[0-9]", "xxab1\nxabyy2\n", ["xxab1", "xabyy2"]],
  ])("%j in %j finds %j", (pattern, text, expected) => {
    expect(linesFound(pattern, text)).toEqual(expected);
  });

  test.each(["foo", "baz", "foo|baz", "^[f]o+$", "[z]$", "(o)\\1", "(.)\\1|baz"])(
    "searches for %j neither before nor after its part of the text",
    (pattern) => {
      const bytes = Buffer.from("foo\nbar\nbaz\n");
      expect(compile(pattern).search(bytes, 4, 8)).toBe(-1);
      expect(compile(pattern).search(bytes)).toBeGreaterThanOrEqual(0);
    },
  );

  test.each([
    ["foobar", false],
    ["foobar|quxbar", false],
    ["foo$", true],
    ["o(b|$)", true],
    ["(o)\\1$", true],
    ["oo.", false],
  ])("%j treats the end of the range as the end of a line", (pattern, expected) => {
    expect(compile(pattern).search(Buffer.from("foobar"), 0, 3) >= 0).toBe(expected);
  });

  test("finds the lines that match individually, for any text and pattern", () => {
    const patterns = [
      "a",
      "ab",
      "a+b",
      "^a",
      "b$",
      "a|bc",
      "(a|b)c",
      "[^a]",
      "a.?c",
      "\\<a",
      "c\\>",
      "(a)\\1",
      "é",
      "a{2}",
      "^$",
    ];
    const line = fc.string({ unit: fc.constantFrom("a", "b", "c", "é", " ", "\n"), maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...patterns), line, (pattern, text) => {
        const regex = compile(pattern);
        const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
        expect(linesFound(pattern, text)).toEqual(lines.filter((one) => regex.test(Buffer.from(one))));
      }),
      { numRuns: 600 },
    );
  });

  test("finds texts as the automaton does, in either case", () => {
    const patterns = [
      "(foo|bar|baz)qux",
      "foo|barbaz|quxf",
      "foo.*bar",
      "foo(bar)?baz",
      "(ab|ba){2}x",
      "[fb]oo.*(bar|baz)$",
      "^(foo|bar)",
      "(foo|bar)\\1",
      "kfoo.*iss",
    ];
    const word = fc.constantFrom(
      "foo",
      "bar",
      "baz",
      "qux",
      "f",
      "ab",
      "ba",
      "x",
      "FOO",
      "Bar",
      "K",
      "ı",
      "ſ",
      "é",
      " ",
      "\n",
    );
    const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(""));
    fc.assert(
      fc.property(fc.constantFrom(...patterns), fc.boolean(), text, (pattern, ignoreCase, all) => {
        const regex = compile(pattern, { ignoreCase });
        const lines = all === "" ? [] : all.replace(/\n$/, "").split("\n");
        expect(linesFound(pattern, all, ignoreCase)).toEqual(lines.filter((one) => regex.test(Buffer.from(one))));
      }),
      { numRuns: 600 },
    );
  });

  test("switches to a rarer text, and finds the same", () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `static int number_${n}_of${n % 700 === 0 ? "_probe" : ""}`);
    const expected = lines.filter((line) => line.endsWith("_probe"));
    expect(linesFound("static int [a-z0-9_]*_probe", lines.join("\n"))).toEqual(expected);
  });

  test("works without its literal if that is too frequent", () => {
    const text = `${"eeeeeeee\n".repeat(1_000)}ex\n`;
    expect(linesFound("e.*x$", text)).toEqual(["ex"]);
  });
});

describe("a pattern designed to take forever", () => {
  const hostile = `${"a".repeat(50_000)}!`;

  test.each(["(a+)+$", "(a*)*b", "(a|aa)+$", "(.*)*.*x", "((a?){20}){20}b", "(a{1,100}){1,100}b", "[^x]*[^y]*[^z]*!!"])(
    "%j does not",
    (pattern) => {
      const before = process.cpuUsage().user;
      expect(compile(pattern).test(Buffer.from(hostile))).toBe(false);
      expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
    },
  );

  test("does not with back-references either", () => {
    const before = process.cpuUsage().user;
    compile("(a*)*(a*)*\\1\\2b").test(Buffer.from(hostile));
    expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
  });
});
