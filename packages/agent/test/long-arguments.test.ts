import { expect, test } from "vitest";
import { checkArguments } from "../src/turn/call-arguments.ts";

test("takes arguments of a thousand levels, and no more", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}1${"]".repeat(levels - 1)}}`;
  expect(checkArguments(nested(1_000))).toMatchObject({ text: nested(1_000) });
  for (const levels of [1_001, 500_000])
    expect(checkArguments(nested(levels))).toEqual({ error: "The arguments are nested deeper than 1000 levels." });
});

test("checks arguments with a string of 40 MB, and finds a name used twice after it", () => {
  const content = "x".repeat(40_000_000);
  expect(checkArguments(JSON.stringify({ content }))).toMatchObject({ value: { content } });
  expect(checkArguments(`{"a":"${content}","a":"\\""}`)).toMatchObject({ error: expect.stringContaining('"a" twice') });
});
