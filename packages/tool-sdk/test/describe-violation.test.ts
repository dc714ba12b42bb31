import type { JsonObject } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { describeValue, describeViolations } from "../src/arguments.ts";
import type { SchemaViolation } from "../src/built-tool.ts";

test.each([
  [null, "null"],
  [undefined, "undefined"],
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

/** Describes one violation. */
function described(violation: SchemaViolation, args: JsonObject, parameters: object): string {
  return describeViolations([violation], args, parameters);
}

test("names what is missing, and tells what it is", () => {
  const violation = { instancePath: "", schemaPath: "#", keyword: "required", params: { missingProperty: "city" } };
  const parameters = { properties: { city: { type: "string", description: "City name" } } };
  expect(described(violation, {}, parameters)).toBe('Expected "city" (string), which is missing: City name.');
  expect(described(violation, {}, {})).toBe('Expected "city" (value), which is missing.');
});

test("names what is wrong inside another value", () => {
  const violation = { instancePath: "/a~1b/0/~0", schemaPath: "#", keyword: "type", params: { type: "integer" } };
  expect(described(violation, { "a/b": [{ "~": "x" }] }, {})).toBe(
    'Expected "a/b.0.~" to be an integer, got "x" (string).',
  );
});

const depth = { type: "integer", description: "How deep" };
const at = { properties: { depth } };

test.each([
  ["inside an object", { properties: { at } }, "/at"],
  ["inside a list", { properties: { at: { items: at } } }, "/at/0"],
  ["inside a tuple", { properties: { at: { items: [{}, at] } } }, "/at/1"],
  ["inside a newer tuple", { properties: { at: { prefixItems: [{}, at], items: false } } }, "/at/1"],
  ["inside any field", { properties: { at: { additionalProperties: at } } }, "/at/x"],
  ["behind a reference", { properties: { at: { $ref: "#/$defs/an%20at" } }, $defs: { "an at": at } }, "/at"],
  ["itself a reference", { properties: { at: { properties: { depth: { $ref: "#/d" } } } }, d: depth }, "/at"],
  ["in one of several schemas", { properties: { at: { anyOf: [true, { type: "null" }, at] } } }, "/at"],
])("tells what is missing %s", (_, inner, instancePath) => {
  // Another field of the same name.
  const parameters = {
    ...inner,
    properties: { depth: { type: "string", description: "Another" }, ...inner.properties },
  };
  const violation = { instancePath, schemaPath: "#", keyword: "required", params: { missingProperty: "depth" } };
  const path = `${instancePath.slice(1).replaceAll("/", ".")}.depth`;
  expect(described(violation, {}, parameters)).toBe(`Expected "${path}" (integer), which is missing: How deep.`);
});
