import * as fc from "fast-check";
import { expect, test } from "vitest";
import { HeadAndTail, leaveOutMiddle } from "../src/index.ts";

function bothEnds(text: string | Buffer, maxBytes: number): string {
  const kept = new HeadAndTail(maxBytes);
  kept.add(Buffer.from(text));
  return kept.toText();
}

test("keeps a text of exactly the limit, and cuts one with a byte more", () => {
  expect(bothEnds("a".repeat(200), 200)).toBe("a".repeat(200));
  expect(bothEnds("a".repeat(201), 200)).toBe(`${"a".repeat(68)}\n… 65 bytes left out …\n${"a".repeat(68)}`);
});

/** The start and end that are shown, without the newline before the gap, and the reported number of missing bytes. */
function parts(shown: string) {
  const [, head = "", leftOut, tail = ""] = /^([\s\S]*?)\n?… (\d+) bytes left out …\n([\s\S]*)$/.exec(shown) ?? [];
  return { head, tail, leftOutBytes: Number(leftOut) };
}

test("never exceeds the limit, and reports the number of missing bytes", () => {
  const hardText = fc.array(fc.constantFrom("a", "\n", "é", "€", "😀", "word ", "x".repeat(60)), { maxLength: 200 });
  fc.assert(
    fc.property(hardText, fc.integer({ min: 160, max: 600 }), (pieces, maxBytes) => {
      const text = pieces.join("");
      const shown = bothEnds(text, maxBytes);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes);
      if (shown === text) return;
      const { head, tail, leftOutBytes } = parts(shown);
      expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
      const missing = Buffer.byteLength(text) - Buffer.byteLength(head + tail);
      expect([missing, missing - 1]).toContain(leftOutBytes);
    }),
  );
});

test("cuts invalid UTF-8 as the characters that replace it", () => {
  expect(Buffer.byteLength(bothEnds(Buffer.alloc(200, 0xff), 200))).toBeLessThanOrEqual(200);
});

// Space for 36 bytes on each side, two of them for a newline.
test.each([
  ["whole lines if they are at least half", `${"a".repeat(17)}\n${"b".repeat(90)}\n${"c".repeat(18)}`, [17, 18]],
  ["part of a line that is most of the text", `${"a".repeat(16)}\n${"b".repeat(90)}\n${"c".repeat(17)}`, [35, 35]],
  ["part of the only line", "a".repeat(200), [36, 36]],
])("keeps %s", (_, text, kept) => {
  const { head, tail } = parts(leaveOutMiddle({ head: text, tail: text, bytes: Buffer.byteLength(text) }, 136));
  expect([head.length, tail.length]).toEqual(kept);
});
