import fc from "fast-check";
import { expect, test } from "vitest";
import { compactJson } from "../src/index.ts";

test("removes the white space between values, and no other", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(1, 2, "\t"), (value, indent) => {
      const text = JSON.stringify([value, ' a\\ "b" \n'], undefined, indent);
      expect(compactJson(text)).toBe(JSON.stringify([value, ' a\\ "b" \n']));
    }),
  );
});

test("keeps names that are there twice, and survives many escapes", () => {
  expect(compactJson('{ "a" : 1,\n"a":2 }')).toBe('{"a":1,"a":2}');
  const long = JSON.stringify("\\".repeat(5_000_000));
  expect(compactJson(` ${long} `)).toBe(long);
});
