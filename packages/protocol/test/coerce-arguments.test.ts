import { expect, test } from "vitest";
import { coerceArguments, type JsonObject, type JsonValue } from "../src/index.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const node: JsonObject = { type: "object", properties: { n: integer, next: { $ref: "#/$defs/node" } } };

/** Coerces one argument with this schema. */
function coerced(value: JsonValue, schema: JsonObject): JsonValue | undefined {
  return coerceArguments({ x: value }, { type: "object", properties: { x: schema }, $defs: { node } }).x;
}

test.each<[JsonValue, JsonObject, JsonValue]>([
  ["5", integer, 5],
  [" -5 ", integer, -5],
  ["5.0", integer, 5],
  ["1.5", { type: "number" }, 1.5],
  ["true", { type: "boolean" }, true],
  ["false", { type: "boolean" }, false],
  [5, text, "5"],
  [true, text, "true"],
  ['{"a":1}', { type: "object" }, { a: 1 }],
  ['["a"]', { type: "array", items: text }, ["a"]],
  ["a", { type: "array", items: text }, ["a"]],
  [5, { type: "array", items: text }, ["5"]],
  [{ n: "1" }, { type: "array", items: node }, [{ n: 1 }]],
  ["5", { anyOf: [integer, { type: "null" }] }, 5],
  ["5", { type: ["null", "integer"] }, 5],
  [{ n: "1", next: { n: "2" } }, { $ref: "#/$defs/node" }, { n: 1, next: { n: 2 } }],
  [{ a: "1" }, { type: "object", additionalProperties: integer }, { a: 1 }],
])("%j for %j is %j", (value, schema, expected) => {
  expect(coerced(value, schema)).toEqual(expected);
  expect(coerced(expected, schema)).toBe(expected);
});

test.each<[JsonValue, JsonObject]>([
  ["2s", integer],
  ["", integer],
  ["0x10", integer],
  ["1.5", integer],
  ["12345678901234567890", integer],
  ["007", integer],
  ["True", { type: "boolean" }],
  [1, { type: "boolean" }],
  [1.5, text],
  [2 ** 60, text],
  [{ a: 1 }, text],
  [["a"], text],
  [null, text],
  ["[1", { type: "array", items: integer }],
  ["a", { type: "array" }],
  ["[1]", { type: "object" }],
  ["5", { type: ["string", "integer"] }],
  [5, { anyOf: [text, integer] }],
  ["5", { enum: [5] }],
  ["5", {}],
  ["5", { $ref: "#/$defs/none" }],
])("%j for %j stays", (value, schema) => {
  expect(coerced(value, schema)).toBe(value);
});

test("names of the prototype are names like all others", () => {
  const args = JSON.parse('{"__proto__":{"n":"1"},"constructor":"5","n":"1"}') as JsonObject;
  const read = coerceArguments(args, { type: "object", properties: { n: integer } });
  expect(JSON.stringify(read)).toBe('{"__proto__":{"n":"1"},"constructor":"5","n":1}');
});

test("a reference to itself, and a text deeper than arguments may be, change nothing", () => {
  const loop = { properties: { x: { $ref: "#/properties/x" } } };
  expect(coerceArguments({ x: "5" }, loop)).toEqual({ x: "5" });
  const deep = `${"[".repeat(2_000)}${"]".repeat(2_000)}`;
  expect(coerced(deep, { type: "array" })).toBe(deep);
});
