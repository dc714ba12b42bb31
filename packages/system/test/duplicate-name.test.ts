import { expect, test } from "vitest";
import { duplicateName } from "../src/index.ts";

test.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]}', undefined, undefined],
  ['{"a":1,"a":2}', "a", "a"],
  ['{"a":1,"\\u0061":2}', "a", "a"],
  ['{"a":"\\"a\\":","b":1}', undefined, undefined],
  ['{"x":[{"y":1,"z":{},"y":2}]}', "y", undefined],
  ['{"__proto__":1,"__proto__":2}', "__proto__", "__proto__"],
])("of %s", (json, anywhere, outermost) => {
  expect([duplicateName(json), duplicateName(json, 1)]).toEqual([anywhere, outermost]);
});

test("is found in a long and a deep text", () => {
  const long = JSON.stringify({ a: "\\".repeat(5_000_000) });
  expect(duplicateName(`${long.slice(0, -1)},"b":${"[".repeat(300_000)}${"]".repeat(300_000)},"a":1}`)).toBe("a");
});
