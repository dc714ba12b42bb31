import { userInfo } from "node:os";
import {
  cutToWidth,
  diffLines,
  headAndTail,
  plainWidth,
  terminalKind,
  wrapNotice,
  wrapParts,
  wrapWords,
} from "@ikigai/screen";
import fc from "fast-check";
import { eastAsianWidth } from "get-east-asian-width";
import { expect, test } from "vitest";
import { duration, shortPath } from "../src/render/short-forms.ts";

test.each([
  [0.2, "0 ms"],
  [3.4, "3 ms"],
  [999.6, "1.0 s"],
  [1_049, "1.0 s"],
  [59_949, "59.9 s"],
  [59_951, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%d ms is %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test("leaves out lines only if that saves space", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  const shorten = (count: number) => headAndTail(lines(count), { head: 2, tail: 1, gap: (leftOut) => `(${leftOut})` });
  expect(shorten(4)).toEqual(["0", "1", "2", "3"]);
  expect(shorten(5)).toEqual(["0", "1", "(2)", "4"]);
});

test("a diff contains both texts, each in order", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      expect(diff.filter(({ sign }) => sign !== "+").map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ sign }) => sign !== "-").map(({ text }) => text)).toEqual(after);
      for (const { sign, text, number } of diff) expect((sign === "-" ? before : after)[number - 1]).toBe(text);
    }),
  );
});

test("diffs large texts quickly", () => {
  const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}`);
  const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}`);
  expect(diffLines(before, after)).toHaveLength(40_000);
});

test("a cut text fits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const cut = cutToWidth(text, columns, "…");
      expect(plainWidth(cut)).toBeLessThanOrEqual(columns);
      if ([...text].every((character) => plainWidth(character) > 0) && plainWidth(text) <= columns)
        expect(cut).toBe(text);
    }),
  );
  expect([plainWidth("日本"), plainWidth("é"), plainWidth("😀")]).toEqual([4, 1, 2]);
});

test("breaks lines between words", () => {
  expect(wrapWords("one two three incomprehensibilities x", 9)).toBe("one two\nthree\nincomprehensibilities\nx");
});

test("writes parts in as few rows as they fit in, and leaves each whole", () => {
  expect(wrapParts(["one two", "three", "four five"], 15)).toBe("one two   three\nfour five");
  expect(wrapParts(["one two", "three", "four five"], 14)).toBe("one two\nthree\nfour five");
  expect(wrapParts(["one two", "incomprehensibilities", "x"], 9)).toBe("one two\nincomprehensibilities\nx");
});

test("wraps a notice, but not the excerpt of a file and the caret below it", () => {
  const line = `  { "screen": { "theme": "nope" }, "modle": "foo/bar", "maxSteps": "x" }`;
  for (const word of ["screen", "modle", "maxSteps"]) {
    for (let columns = 20; columns <= 80; columns += 1) {
      const caret = `${" ".repeat(line.indexOf(word))}^`;
      const [first, second, ...rows] = wrapNotice(`one two three four five\n${line}\n${caret}\nEnd.`, columns).split(
        "\n",
      );
      const [excerpt = "", below = "", ...others] = columns < 23 ? rows : [second, ...rows];
      expect(first).toBe(columns < 23 ? "one two three four" : "one two three four five");
      expect(plainWidth(excerpt)).toBeLessThanOrEqual(columns);
      expect(excerpt[below.indexOf("^")]).toBe(word[0]);
      expect(others).toEqual(["End."]);
    }
  }
});

test.each([
  ["/home/me/code/a.txt", "/home/me/code", "a.txt"],
  ["/home/me/.ikigai/tools/x-tool", "/home/me/code", "~/.ikigai/tools/x-tool"],
  ["/home/me/.ikigai/tools/x-tool", "/home/me", "~/.ikigai/tools/x-tool"],
  ["/home/me/.ikigai/tools/x-tool", "/home", "~/.ikigai/tools/x-tool"],
  ["/home/meredith/x", "/home/me", "/home/meredith/x"],
  ["/usr/libexec/x", "/", "/usr/libexec/x"],
  ["/srv/a\u001b[2Jb", "/home/me", "/srv/a␛[2Jb"],
])("%s, seen from %s, is %s", (path, projectDir, shown) => {
  expect(shortPath(path, { projectDir }, { HOME: "/home/me" })).toBe(shown);
});

test("without HOME, uses the home directory of the system", () => {
  expect(shortPath(`${userInfo().homedir}/x`, { projectDir: "/nowhere" }, {})).toBe("~/x");
});

test.each([
  [{ TERM: "xterm" }, true],
  [{ TERM: "xterm", LANG: "C.UTF-8" }, true],
  [{ TERM: "dumb" }, false],
  [{}, false],
  [{ TERM: "xterm", NO_COLOR: "1" }, false],
  [{ TERM: "xterm", NO_COLOR: "" }, true],
  [{ TERM: "xterm", LANG: "C" }, false],
  [{ TERM: "xterm", LC_ALL: "POSIX", LANG: "C.UTF-8" }, false],
])("with %j a terminal gets escape sequences: %s", (env, hasEscapes) => {
  expect(terminalKind(env, { isTerminal: true }).hasEscapes).toBe(hasEscapes);
  expect(terminalKind(env, { isTerminal: false }).hasEscapes).toBe(false);
});

test.each([
  [
    { TERM: "xterm", NO_COLOR: "1" },
    { isFull: true, hasColours: false },
  ],
  [
    { TERM: "xterm", LANG: "C" },
    { isFull: true, hasColours: true, isAscii: true },
  ],
  [{ TERM: "dumb" }, { isFull: false }],
  [{}, { isFull: false }],
])("with %j a terminal's full screen is %j", (env, kind) => {
  expect(terminalKind(env, { isTerminal: true })).toMatchObject(kind);
  expect(terminalKind(env, { isTerminal: false }).isFull).toBe(false);
});

test("no character is wider than it is counted, by Unicode's table", () => {
  const narrow: string[] = [];
  for (let point = 0x20; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    if (/[\p{M}\p{Cn}\p{Co}\p{Cc}\p{Cf}]/u.test(character)) continue;
    if (eastAsianWidth(point) > plainWidth(character)) narrow.push(point.toString(16));
  }
  expect(narrow).toEqual([]);
});
