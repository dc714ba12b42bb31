import { sliceByColumn, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitParagraph } from "../src/tui/components/split-paragraph.ts";
import { columnsOf, inFullRows, plainText, wrapMarks, wrapStyled } from "../src/tui/pi-tui/text.ts";

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

/** What is drawn of a line, one entry for each character: it, and the styles that hold there. */
function drawn(rows: readonly string[]): string[] {
  const cells: string[] = [];
  for (const row of rows) {
    const styles = new Set<string>();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of styles
    for (const [part] of row.matchAll(/\u001b\[[\d;]*m|[^\u001b]/gsu)) {
      if (part === wrapMarks.first || part === wrapMarks.next) styles.clear();
      else if (part.startsWith("\u001b")) styles.add(part);
      else cells.push([...styles].sort().join("") + part);
    }
  }
  return cells;
}

test("cuts a long line into full rows as it would cut it at once", () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 100, maxLength: 300 }),
      fc.integer({ min: 10, max: 200 }),
      fc.constantFrom(0, 2),
      (parts, columns, margin) => {
        const line = parts.join("");
        const expected: string[] = [];
        for (let at = 0; at < visibleWidth(line); at += Math.max(1, visibleWidth(expected.at(-1) ?? "")))
          expected.push(sliceByColumn(line, at, expected.length === 0 ? columns - margin : columns, true));
        const rows = inFullRows(line, columns, margin);
        expect(rows.map(plainText).join("\n")).toBe(expected.map(plainText).join("\n"));
        const [cells, wanted] = [drawn(rows), drawn(expected)];
        const first = cells.findIndex((cell, index) => cell !== wanted[index]);
        expect([cells.length, cells[first]]).toEqual([wanted.length, wanted[first]]);
        expect(rows.map((row) => row.startsWith(wrapMarks.next))).toEqual(rows.map((_, index) => index > 0));
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});

test("measures a long text as it would measure it at once", () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 100, maxLength: 600 }), (parts) => {
      const text = parts.join("");
      expect(columnsOf(text)).toBe(visibleWidth(text));
    }),
    { numRuns: 50 },
  );
});

test("finds in a few attempts where a long paragraph can be split", () => {
  const width = 60;
  for (const sign of ["", "`", "**"]) {
    const text = Array.from({ length: 3_000 }, (_, n) => (n % 7 === 0 ? `${sign}w${n}${sign}` : `w${n}`)).join(" ");
    let attempts = 0;
    const render = (part: string) => {
      attempts++;
      return wrapTextWithAnsi(part.replaceAll(sign || "\0", ""), width).map((row) => row.trimEnd());
    };
    const [first = "", second = ""] = splitParagraph(text, render) ?? [];
    expect(`${first} ${second}`).toBe(text);
    expect(second.split(" ").length).toBeLessThan(60);
    expect(attempts).toBeLessThan(30);
  }
});

describe.each(Object.entries({ wrapStyled, columnsOf, inFullRows }))("%s", (_, divide) => {
  test.each(["1,", "a ", "[", "漢", "👩", " ", "\t", "\u001b[31mx\u001b[0m "])(
    "takes about ten times as long for ten times as much of %j",
    (part) => {
      const took = (length: number) => {
        const text = `${part.repeat(length / part.length)}x`;
        const before = process.cpuUsage();
        expect(divide(text, 100, 0)).toBeDefined();
        return process.cpuUsage(before).user;
      };
      took(4_000);
      expect(took(100_000)).toBeLessThan(40 * took(10_000) + 100_000);
    },
  );
});

test("white space after a letter is cut into rows as fast", () => {
  const before = process.cpuUsage();
  expect(inFullRows(`x${" ".repeat(20_000)}END`, 100, 0)).toHaveLength(201);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
