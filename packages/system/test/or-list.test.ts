import { expect, test } from "vitest";
import { orList } from "../src/text/words.ts";

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a or b"],
  [["a", "b", "c"], "a, b or c"],
])("%j is written as %j", (names, text) => {
  expect(orList(names)).toBe(text);
});
