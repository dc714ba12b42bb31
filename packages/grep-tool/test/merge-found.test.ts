import { expect, test } from "vitest";
import { mergeFound } from "../src/search-files.ts";

const portion = (index: number, lines: readonly number[], more = 0) => ({
  index,
  file: `${index}.txt`,
  isBeginning: true,
  isCut: false,
  matches: lines.map((line) => ({ line, content: "x" })),
  count: lines.length + more,
  newlines: 10,
});

test("counts matches after a portion that was not kept completely, but does not show them", () => {
  const parts = [
    [portion(0, [1, 2]), portion(2, [5])],
    [portion(1, [3], 4), portion(3, [6])],
  ];
  const shown = (isShared: boolean) =>
    mergeFound(parts, isShared).files.map(({ file, matches }) => [file, ...matches.map(({ line }) => line)]);
  expect(shown(false)).toEqual([["0.txt", 1, 2], ["1.txt", 3], ["2.txt"], ["3.txt"]]);
  // Files that share an answer each keep their own first matches.
  expect(shown(true)).toEqual([
    ["0.txt", 1, 2],
    ["1.txt", 3],
    ["2.txt", 5],
    ["3.txt", 6],
  ]);
  expect(mergeFound(parts, false).count).toBe(9);
});
