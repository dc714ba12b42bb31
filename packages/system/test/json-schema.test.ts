import type { JsonValue } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { compileSchema, valueProblem } from "../src/json/json-schema.ts";

function problemOf(schema: JsonValue, value: JsonValue): string | undefined {
  const compiled = compileSchema(schema, "schema");
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.check(value, "answer");
}

test.each<[JsonValue, JsonValue, string]>([
  [{ type: "object" }, [], 'Expected "answer" to be an object, got [].'],
  [{ required: ["n"] }, {}, `Expected "answer" to have required property 'n', got {}.`],
  [{ properties: { n: { type: "number" } } }, { n: "1" }, 'Expected "answer.n" to be a number, got "1".'],
  [{ prefixItems: [{ type: "string" }] }, [1], 'Expected "answer[0]" to be a string, got 1.'],
  [false, 1, 'Expected "answer" boolean schema is false, got 1.'],
  // Not a keyword of JSON Schema: ajv would return a promise, which looks like a yes.
  [{ $async: true, type: "number" }, "x", 'Expected "answer" to be a number, got "x".'],
])("says where a value does not fit %j", (schema, value, problem) => {
  expect(problemOf(schema, value)).toBe(problem);
});

test.each<[JsonValue, RegExp]>([
  ["x", /^Expected "schema" to be a JSON Schema, got "x"/],
  [{ type: "text" }, /^Expected "schema.type" to be one of/],
  [{ $ref: "https://example.com/s.json" }, /can't resolve reference/],
  // A list of items is draft 7, which this schema does not name: in 2020-12 nothing would be checked.
  [{ items: [{ type: "string" }] }, /^Expected "schema.items" to be a JSON Schema/],
])("compiles no schema that cannot be used, %j", (schema, problem) => {
  expect(compileSchema(schema, "schema")).toEqual({ problem: expect.stringMatching(problem) });
});

test.each<[step: number, multiples: number[], others: number[]]>([
  [0.01, [0.07, 19.99, 0, -0.3, 12_345_678_901.23], [0.075, 0.010000001]],
  [16_777_216, [33_554_432], [16_777_217, 0.5]],
])("counts multiples of %d as people do", (multipleOf, multiples, others) => {
  const problem = (value: number) => problemOf({ multipleOf }, value);
  for (const value of multiples) expect(problem(value)).toBeUndefined();
  for (const value of others)
    expect(problem(value)).toBe(`Expected "answer" to be multiple of ${multipleOf}, got ${value}.`);
});

test("a schema that never ends fits nothing", () => {
  expect(problemOf({ $ref: "#" }, 1)).toMatch(/^"answer" cannot be checked: /);
  expect(problemOf({ anyOf: [{ type: "number" }, { items: { $ref: "#" } }] }, [[[1]]])).toBeUndefined();
});

test("an invalid schema finds no problem in a value: it has one of its own", () => {
  expect(valueProblem({ type: "text" }, 1, "answer")).toBeUndefined();
});
