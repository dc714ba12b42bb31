import { expect, test } from "vitest";
import { tellingLine } from "../src/index.ts";

test.each([
  ["Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: 'MY_API_KEY'\n", "KeyError: 'MY_API_KEY'"],
  [
    "file:///a.mjs:1\nx();\n^\n\nTypeError: x is not a function\n    at file:///a.mjs:1\n\nNode.js v20\n",
    "TypeError: x is not a function",
  ],
  ["panic: out of range\n\ngoroutine 1 [running]:\n", "panic: out of range"],
  ["\n\nno key is set\nsee the README\n", "no key is set"],
  ["", ""],
])("of %j, the line that says why is %j", (text, line) => {
  expect(tellingLine(text)).toBe(line);
});
