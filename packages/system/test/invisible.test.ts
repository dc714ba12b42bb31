import { expect, test } from "vitest";
import { hasInvisible, withoutInvisible } from "../src/index.ts";

/** Ranges of which no character is seen. */
const invisible = [
  [0x00, 0x08],
  [0x0b, 0x0b],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0xffffd],
  [0x100000, 0x10fffd],
] as const;

test("finds exactly the characters of Unicode that no one sees", () => {
  const found: [number, number][] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const last = found.at(-1);
    if (!hasInvisible(String.fromCodePoint(codePoint))) continue;
    if (last?.[1] === codePoint - 1) last[1] = codePoint;
    else found.push([codePoint, codePoint]);
  }
  expect(found).toEqual(invisible);
});

test("removes and counts them", () => {
  expect(withoutInvisible("\u001b[31ma\u0090\u{e0041}b\ue000c\ud800d")).toEqual({ text: "[31mabcd", removed: 5 });
  expect(withoutInvisible("a\u200db\u200d\u{1f600}\u200d").text).toBe("ab\u{1f600}");
  expect(withoutInvisible("a\ufe0fb")).toEqual({ text: "ab", removed: 1 });
});

test.each([
  ..."\t\n\f\r\u00a0\u2003\u2028é漢\u0905\u0661",
  "\u{1f600}",
  "❤\ufe0f",
  "1\ufe0f\u20e3",
  "\u{1f469}\u200d\u{1f4bb}",
  "\u{1f469}\u{1f3fd}\u200d\u2764\ufe0f\u200d\u{1f468}",
  "\u{1d172}",
  "\u{1d17b}",
  "\u{e1000}",
])("does not remove %j", (character) => expect(withoutInvisible(character)).toEqual({ text: character, removed: 0 }));
