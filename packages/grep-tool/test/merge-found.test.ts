import { expect, test } from "vitest";
import { mergeFound } from "../src/merge-found.ts";

const portion = (index: number, lines: readonly number[], more = 0) => ({
  index,
  isBeginning: true,
  isCut: false,
  matches: lines.map((line) => ({ file: `${index}.txt`, line, content: "x" })),
  count: lines.length + more,
  newlines: 10,
});

test("counts matches after a portion that was not kept completely, but does not show them", () => {
  const { matches, count } = mergeFound([
    [portion(0, [1, 2]), portion(2, [5])],
    [portion(1, [3], 4), portion(3, [6])],
  ]);
  expect(matches.map(({ file, line }) => [file, line])).toEqual([
    ["0.txt", 1],
    ["0.txt", 2],
    ["1.txt", 3],
  ]);
  expect(count).toBe(9);
});
