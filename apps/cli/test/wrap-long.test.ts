// @module-tag tables
import { sliceByColumn, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inFullRows, plainText, styledWidth, wrapMarks, wrapStyled } from "@ikigai/screen";
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { splitParagraph } from "../src/tui/components/answer-block.ts";

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

/** The rows with letters, without the spaces at their ends, which may be underlined. Wrapping at once puts an empty row before some long words. */
function visible(rows: readonly string[]): string[] {
  const written = rows.filter((row) => plainText(row) !== "");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of styles
  return written.map((row) => row.replace(/(?: |\u001b\[[\d;]*m)+$/, (end) => end.replaceAll(" ", "")));
}

test("wraps a long text as it would wrap it at once", () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 100, maxLength: 300 }),
      fc.integer({ min: 10, max: 200 }),
      (parts, columns) => {
        const text = parts.join("");
        expect(visible(wrapStyled(text, columns))).toEqual(visible(wrapTextWithAnsi(text, columns)));
      },
    ),
    { numRuns: 25, endOnFailure: true },
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
      fc.array(words, { minLength: 200, maxLength: 400 }),
      fc.integer({ min: 10, max: 200 }),
      fc.constantFrom(0, 2),
      (parts, columns, margin) => {
        const line = parts.join("");
        const expected: string[] = [];
        const width = visibleWidth(line);
        for (let at = 0; at < width; at += Math.max(1, visibleWidth(expected.at(-1) ?? "")))
          expected.push(sliceByColumn(line, at, expected.length === 0 ? columns - margin : columns, true));
        const rows = inFullRows(line, columns, margin);
        expect(rows.map(plainText).join("\n")).toBe(expected.map(plainText).join("\n"));
        const [cells, wanted] = [drawn(rows), drawn([line])];
        const first = cells.findIndex((cell, index) => cell !== wanted[index]);
        expect([cells.length, cells[first]]).toEqual([wanted.length, wanted[first]]);
        expect(rows.map((row) => row.startsWith(wrapMarks.next))).toEqual(rows.map((_, index) => index > 0));
      },
    ),
    // Each row is cut from the start of the line, which takes long.
    { numRuns: inject("isThorough") ? 10 : 2, endOnFailure: true },
  );
});

test.each([
  ["in the next piece", "", 995, 199],
  ["after others that were reset", "\u001b[4m.\u001b[0m", 993, 199],
  ["in a row of a short line", "\u001b[4m.\u001b[0m", 98, 99],
])("a style that begins behind a full row holds %s", (_, before, length, columns) => {
  const red = "\u001b[31m";
  const rows = inFullRows(`${before}${"x".repeat(length)}${red}${"y".repeat(2_000)}`, columns, 0);
  const cells = drawn(rows).filter((cell) => cell.endsWith("y"));
  expect(cells).toEqual(Array(2_000).fill(`${red}y`));
});

test("a link continues in the next row, and no further than its text", () => {
  const [open, close] = ["\u001b]8;;https://example.org/\u001b\\", "\u001b]8;;\u001b\\"];
  const rows = inFullRows(`${open}${"x".repeat(150)}${close}${"y".repeat(150)}`, 100, 0);
  expect(rows.map((row) => row.includes("example.org"))).toEqual([true, true, false]);
});

test("cutting ends and loses nothing, also with parts of characters around the sequences", () => {
  const half = fc.constantFrom(
    "a",
    "漢",
    "\u200d",
    "👩",
    "🇩",
    "\u0301",
    "\ud83d",
    "\u001b[31m",
    "\u001b[0m",
    "\u001b",
    "\t",
    "x".repeat(90),
  );
  fc.assert(
    fc.property(
      fc.array(half, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 4, max: 200 }),
      (parts, columns) => {
        const line = parts.join("");
        const rows = inFullRows(line, columns, 0);
        expect(rows.map(plainText).join("")).toBe(plainText(line));
        expect(Math.max(...rows.map(styledWidth))).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 100, endOnFailure: true },
  );
});

test("a wide letter in a column of its own is left out, and what follows it is not", () => {
  expect(inFullRows("漢ab", 1, 0).map(plainText).join("")).toBe("ab");
});

test("measures a long text as it would measure it at once", () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 100, maxLength: 600 }), (parts) => {
      const text = parts.join("");
      expect(styledWidth(text)).toBe(visibleWidth(text));
    }),
    { numRuns: 50, endOnFailure: true },
  );
});

test.each(["🇩🇪", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "👍🏽", "e\u0301", "\u1112\u1161\u11ab", "क्षि"])(
  "does not measure a part of %s",
  (character) => {
    for (let shift = 0; shift <= character.length; shift++) {
      const text = "a".repeat(shift) + character.repeat(4_000 / character.length);
      expect(styledWidth(text)).toBe(shift + Math.floor(4_000 / character.length) * visibleWidth(character));
    }
  },
);

test("finds in a few attempts where a long paragraph can be split", () => {
  const width = 60;
  for (const sign of ["", "`", "**"]) {
    const text = Array.from({ length: 1_000 }, (_, n) => (n % 7 === 0 ? `${sign}w${n}${sign}` : `w${n}`)).join(" ");
    let attempts = 0;
    const render = (part: string) => {
      attempts++;
      return wrapTextWithAnsi(part.replaceAll(sign || "\0", ""), width).map((row) => row.trimEnd());
    };
    const [first = "", second = ""] = splitParagraph(text, render) ?? [];
    expect(`${first} ${second}`).toBe(text);
    expect(second.split(" ").length).toBeLessThan(60);
    expect(attempts).toBeLessThan(25);
  }
});

describe.each(Object.entries({ wrapStyled, styledWidth, inFullRows }))("%s", (_, divide) => {
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
