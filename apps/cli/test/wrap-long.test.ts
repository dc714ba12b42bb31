import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { wrapStyled } from "../src/tui/pi-tui/text.ts";

const words = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.constantFrom(
    " ",
    "   ",
    "漢字",
    "é",
    "e\u0301",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u001b[31m",
    "\u001b[0m",
    "\u001b[1;4m",
    "x".repeat(150),
  ),
);

/** A row without the spaces at its end, which may be underlined. */
function withoutEnd(row: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of styles
  return row.replace(/ +((?:\u001b\[[\d;]*m)*)$/, "$1");
}

test("wraps a long text as it would wrap it at once", () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 100, maxLength: 300 }),
      fc.integer({ min: 10, max: 200 }),
      (parts, columns) => {
        const text = parts.join("");
        expect(wrapStyled(text, columns).map(withoutEnd)).toEqual(wrapTextWithAnsi(text, columns).map(withoutEnd));
      },
    ),
    { numRuns: 25 },
  );
});

test.each(["1,", "a ", "[", "漢", "👩", " ", "\t", "\u001b[31mx\u001b[0m "])(
  "takes about ten times as long for ten times as much of %j",
  (part) => {
    const took = (length: number) => {
      const text = `${part.repeat(length / part.length)}x`;
      const before = process.cpuUsage();
      expect(wrapStyled(text, 100).join("").length).toBeGreaterThan(0);
      return process.cpuUsage(before).user;
    };
    took(4_000);
    expect(took(200_000)).toBeLessThan(40 * took(20_000));
  },
);
