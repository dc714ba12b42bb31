import { diffLines, nearChange, plainStyle, unicodeSigns } from "@ikigai/screen";
import { expect, test } from "vitest";
import { changedLines } from "../src/render/call/file-change.ts";

const screen = { style: plainStyle, signs: unicodeSigns };
const rowsOf = (change: Parameters<typeof changedLines>[0]) =>
  changedLines(change, screen).map(({ margin, text }) => `${margin}${text}`);

const file = Array.from({ length: 1_200 }, (_, index) => `line ${index + 1}`);
const withChanges = (at: readonly number[]) => file.map((line, index) => (at.includes(index + 1) ? "new" : line));

test.each([[1], [600], [1_200], [1, 7], [1, 6], [2, 600, 1_199]])(
  "without its distant lines, a change of lines (%j) is drawn as before",
  (...at) => {
    const change = { lines: diffLines(file, withChanges(at)) };
    const near = nearChange(change);
    expect(near.lines.length).toBeLessThan(30);
    expect(rowsOf(near)).toEqual(rowsOf(change));
  },
);
