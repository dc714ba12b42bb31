import { expect, test } from "vitest";
import { checkArguments } from "../src/turn/check-arguments.ts";

test("checks arguments with a string of 40 MB, and finds a name used twice after it", () => {
  const content = "x".repeat(40_000_000);
  expect(checkArguments(JSON.stringify({ content }))).toMatchObject({ value: { content } });
  expect(checkArguments(`{"a":"${content}","a":"\\""}`)).toMatchObject({ error: expect.stringContaining('"a" twice') });
});
