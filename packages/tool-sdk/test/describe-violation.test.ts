import { expect, test } from "vitest";
import { describeValue, describeViolation } from "../src/describe-violation.ts";

test.each([
  [null, "null"],
  ["a", '"a" (string)'],
  [1.5, "1.5 (number)"],
  [Number.POSITIVE_INFINITY, "Infinity (number)"],
  [["a"], '["a"] (array)'],
  [{ a: 1 }, '{"a":1} (object)'],
  ["x".repeat(100), `"${"x".repeat(59)}… (string)`],
  [`${"x".repeat(58)}😀😀`, `"${"x".repeat(58)}… (string)`],
  ["line\nline", '"line\\nline" (string)'],
])("quotes %j as %s", (value, text) => {
  expect(describeValue(value)).toBe(text);
});

test("names what is missing, and tells what it is", () => {
  const violation = { instancePath: "", keyword: "required", params: { missingProperty: "city" } };
  const parameters = { properties: { city: { type: "string", description: "City name" } } };
  expect(describeViolation(violation, {}, parameters)).toBe('Expected "city" (string), which is missing: City name.');
  expect(describeViolation(violation, {}, {})).toBe('Expected "city" (value), which is missing.');
});

test("names what is wrong inside another value", () => {
  const violation = { instancePath: "/a~1b/0/~0", keyword: "type", params: { type: "integer" } };
  expect(describeViolation(violation, { "a/b": [{ "~": "x" }] }, {})).toBe(
    'Expected "a/b.0.~" to be an integer, got "x" (string).',
  );
});
