// Promise 8 of SECURITY.md.

import { ansiStyle, asOnTerminal, drawableOn, plainStyle, sanitise } from "@ikigai/screen";
import fc from "fast-check";
import { expect, test } from "vitest";
import { paintPrinted, readPrinted } from "../src/render/call/program-colours.ts";
import { evil } from "./evil-texts.ts";

const paint = (line: string, style = ansiStyle) => {
  const printed = readPrinted(line);
  return paintPrinted(printed, printed.text, style);
};

/** All that may be printed besides text: bold, dim and six colours, each of which ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
const ours = /\u001b\[(?:1|2|22|31|32|33|94|35|36|39)m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
const colours = /\u001b\[(?:31|32|33|94|35|36|39)m/g;

/** Random lines with many sequences: whole, cut, nested, of other kinds and with huge numbers. */
const lines = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\u001b[",
      "\u001b",
      "\u009b",
      "[",
      "m",
      "K",
      "J",
      ";",
      ":",
      "\r",
      "\u0007",
      "\u202e",
      "a",
      "日",
      "👩",
    ),
    fc.constantFrom(
      "\u001b[31m",
      "\u001b[0m",
      "\u001b[m",
      "\u001b[38;5;",
      "\u001b[48;2;1;2;3m",
      "\u001b[8m",
      "\u001b[7m",
    ),
    fc.constantFrom(
      "\u001b[38;2;",
      "\u001b[38:2::",
      "\u001b]8;;http://evil/\u001b\\",
      "\u001b[2J",
      "\u001b[1;31;44;4m",
      evil,
    ),
    fc.nat().map(String),
  ),
});

test("prints no sequence of a program, and hides, adds and moves no text", () => {
  fc.assert(
    fc.property(lines, (line) => {
      const drawn = paint(line);
      const text = sanitise(asOnTerminal(line));
      expect(drawn.replace(ours, "")).toBe(text);
      expect(paint(line, plainStyle)).toBe(text);
    }),
    { numRuns: 5_000 },
  );
});

test("ends each look with its line, and with its piece", () => {
  const ends: Readonly<Record<string, string>> = { 1: "22", 2: "22" };
  fc.assert(
    fc.property(lines, (line) => {
      let open: string[] = [];
      for (const [sequence] of paint(line).matchAll(ours)) {
        const code = sequence.slice(2, -1);
        if (open.at(-1) === code) open = open.slice(0, -1);
        else open = [...open, ends[code] ?? "39"];
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("nothing but a colour is lost without colours, and nothing on the way to the terminal", () => {
  const [coloured, plain] = [true, false].map((hasColours) => drawableOn({ hasColours, isAscii: false }));
  fc.assert(
    fc.property(lines, (line) => {
      const drawn = paint(line);
      expect(coloured?.(drawn)).toBe(drawn);
      expect(plain?.(drawn)).toBe(drawn.replaceAll(colours, ""));
    }),
  );
});

const red = "\u001b[31ma\u001b[39m";

test.each<readonly [line: string, drawn: string]>([
  ["\u001b[31ma", red],
  ["\u001b[91ma\u001b[0m", red],
  ["\u001b[38;5;9ma", red],
  ["\u001b[38;5;160ma", red],
  ["\u001b[38;2;220;30;40ma", red],
  ["\u001b[38:2::220:30:40ma", red],
  ["\u001b[4:3;38:5:9ma", red],
  ["\u001b[31;4:0ma", red],
  ["\u001b[4;31;44ma", red],
  ["\u001b[48;5;196;31ma", red],
  ["\u001b[1;38;2;0;0;200ma", "\u001b[1m\u001b[94ma\u001b[39m\u001b[22m"],
  ["\u001b[1ma\u001b[22mb", "\u001b[1ma\u001b[22m\u001b[2mb\u001b[22m"],
])("draws %j", (line, drawn) => {
  expect(paint(line)).toBe(drawn);
});

test.each(["30", "37", "97", "38;5;16", "38;5;244", "38;2;9;9;9", "8", "7", "38;5", "38;2;1", "99999999999"])(
  "text that %s would hide is as other text",
  (code) => {
    expect(paint(`\u001b[${code}ma`)).toBe("\u001b[2ma\u001b[22m");
  },
);

test("a line that is cut keeps its colours up to there", () => {
  const printed = readPrinted("\u001b[31mred\u001b[32mgreen");
  expect(paintPrinted(printed, "redgr…", ansiStyle)).toBe("\u001b[31mred\u001b[39m\u001b[32mgr…\u001b[39m");
  expect(paintPrinted(printed, "r…", ansiStyle)).toBe("\u001b[31mr…\u001b[39m");
});

test("a megabyte of sequences is read in a moment", () => {
  const startedMs = performance.now();
  expect(paint(`${"\u001b[31;1;38;5;9m".repeat(70_000)}a`)).toContain("a");
  expect(paint("\u001b[".repeat(500_000))).toContain("␛[");
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
