import fc from "fast-check";
import { expect, test } from "vitest";
import { changedWords, type TextRange } from "../src/line-diff.ts";

/** The parts of a text that are in a range, or in none. */
const inside = (text: string, ranges: readonly TextRange[]) => ranges.map(({ start, end }) => text.slice(start, end));
const outside = (text: string, ranges: readonly TextRange[]) =>
  [...ranges].reverse().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);

test.each([
  ["let all = 1;", "let all = 0;", ["1"], ["0"]],
  ["export function fn15(a) {", "export function renamedFifteen(a) {", ["fn15"], ["renamedFifteen"]],
  ["call(a)", "call(a, b)", [], [", b"]],
  ["  return x;", "    return x;", ["  "], ["    "]],
  ["größe = 1", "größer = 1", ["größe"], ["größer"]],
])("marks in %j against %j only what differs", (before, after, old, now) => {
  const words = changedWords(before, after);
  expect(words && [inside(before, words.before), inside(after, words.after)]).toEqual([old, now]);
});

test.each([
  ["const a = 1;", "throw new Error(message)"],
  ["", "a"],
  ["a ".repeat(300), "a ".repeat(299)],
])("marks nothing if little or too much is there: %j, %j", (before, after) => {
  expect(changedWords(before, after)).toBeUndefined();
});

test("what is not marked is the same in both lines, in any two lines", () => {
  const line = fc.array(fc.constantFrom("a", "bc", "é", "😀", " ", "  ", "(", ")", "=", "1"), { maxLength: 12 });
  fc.assert(
    fc.property(line, line, (some, others) => {
      const [before, after] = [some.join(""), others.join("")];
      const words = changedWords(before, after);
      if (words) expect(outside(before, words.before)).toBe(outside(after, words.after));
      if (words && before === after) expect(words).toEqual({ before: [], after: [] });
    }),
  );
});
