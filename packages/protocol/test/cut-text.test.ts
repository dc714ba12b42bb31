import fc from "fast-check";
import { expect, test } from "vitest";
import { textEnd, textStart } from "../src/index.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });
const lengths = fc.integer({ min: -2, max: 90 });

test("the start of a text is a prefix of the allowed length that does not split a character", () => {
  fc.assert(
    fc.property(texts, lengths, (text, maxLength) => {
      const start = textStart(text, maxLength);
      const limit = Math.min(text.length, Math.max(0, maxLength));
      expect(text.startsWith(start)).toBe(true);
      expect(start.isWellFormed()).toBe(true);
      expect([limit, Math.max(0, limit - 1)]).toContain(start.length);
    }),
  );
});

test("the end of a text is a suffix of the allowed length that does not split a character", () => {
  fc.assert(
    fc.property(texts, lengths, (text, maxLength) => {
      const end = textEnd(text, maxLength);
      const limit = Math.min(text.length, Math.max(0, maxLength));
      expect(text.endsWith(end)).toBe(true);
      expect(end.isWellFormed()).toBe(true);
      expect([limit, Math.max(0, limit - 1)]).toContain(end.length);
    }),
  );
});

test.each([
  [2, "a", "b"],
  [3, "a😀", "😀b"],
  [4, "a😀b", "a😀b"],
])("cuts a😀b at %i", (maxLength, start, end) => {
  expect([textStart("a😀b", maxLength), textEnd("a😀b", maxLength)]).toEqual([start, end]);
});
