import { type JsonObject, type JsonValue, readToolSchema } from "@ikigai/protocol";
import { array, assert, boolean, constantFrom, dictionary, letrec, oneof, property, string } from "fast-check";
import { expect, inject, test } from "vitest";
import { schemaProblem } from "../src/json/json-schema.ts";

const draft = "https://json-schema.org/draft/2020-12/schema";

function parametersWith(a: JsonValue): JsonObject {
  return { type: "object", properties: { a } };
}

/** Why a host skips a tool with this parameter. */
function refusalOf(a: JsonValue): string | undefined {
  const reading = readToolSchema({ name: "x", description: "x", parameters: parametersWith(a) }, "x");
  return "problem" in reading ? reading.problem : undefined;
}

test.each<[JsonValue, string]>([
  ["string", '"properties.a" to be a JSON Schema, got "string"'],
  [{ type: "strng" }, '"properties.a.type" to be one of array, boolean, integer, null, number, object, string'],
  [{ type: ["string", "strng"] }, '"properties.a.type" to be one of'],
  [{ type: [] }, '"properties.a.type"'],
  [{ type: ["string", "string"] }, '"properties.a.type"'],
  [{ properties: [] }, '"properties.a.properties" to be an object of JSON Schemas, got []'],
  [{ properties: { b: 1 } }, '"properties.a.properties.b" to be a JSON Schema, got 1'],
  [{ items: { type: "text" } }, '"properties.a.items.type"'],
  [{ items: [{}, 1] }, '"properties.a.items[1]" to be a JSON Schema, got 1'],
  [{ items: [] }, '"properties.a.items"'],
  [{ anyOf: {} }, '"properties.a.anyOf" to be a list of at least one JSON Schema, got {}'],
  [{ oneOf: [] }, '"properties.a.oneOf"'],
  [{ not: null }, '"properties.a.not" to be a JSON Schema, got null'],
  [{ additionalProperties: "no" }, '"properties.a.additionalProperties"'],
  [{ $defs: { b: { type: 7 } } }, '"properties.a.$defs.b.type"'],
  [{ enum: [] }, '"properties.a.enum" to be a list of at least one value, got []'],
  [{ enum: "a" }, '"properties.a.enum"'],
  [{ items: { required: true } }, '"properties.a.items.required" to be a list of different names, got true'],
  [{ minLength: -1 }, '"properties.a.minLength" to be an integer from 0, got -1'],
  [{ minLength: 1.5 }, '"properties.a.minLength"'],
  [{ minimum: "1" }, '"properties.a.minimum" to be a number, got "1"'],
  [{ exclusiveMinimum: true }, '"properties.a.exclusiveMinimum" to be a number, got true'],
  [{ multipleOf: 0 }, '"properties.a.multipleOf" to be a number above 0, got 0'],
  [{ description: 1 }, '"properties.a.description" to be a string, got 1'],
  [{ uniqueItems: "yes" }, '"properties.a.uniqueItems" to be true or false'],
  [{ examples: "x" }, '"properties.a.examples" to be a list, got "x"'],
])("refuses %j, which the newest draft does not allow either", (schema, problem) => {
  expect(refusalOf(schema)).toContain(`"parameters": expected ${problem}`);
  expect(schemaProblem({ ...parametersWith(schema), $schema: draft }, "parameters")).toBeDefined();
});

test.each<JsonValue>([
  true,
  {},
  { type: ["string", "null"], nullable: true, "x-vendor": 1, default: null, examples: [] },
  { items: [{}, { type: "string" }] },
  { enum: [null], const: 1, minLength: 0, multipleOf: 0.01 },
  { properties: { type: { type: "string" }, enum: { type: "integer" } }, required: ["type"] },
  // What a provider reads as a pattern is its own matter.
  { pattern: "(?i)^[\\w\\-.]+$" },
])("takes %j", (schema) => {
  expect(refusalOf(schema)).toBeUndefined();
});

/** Values, likely and unlikely, of keywords, likely and unlikely. */
const { schema } = letrec<{ schema: JsonValue; value: JsonValue }>((tie) => ({
  value: oneof(
    { maxDepth: 3 },
    constantFrom<JsonValue>(null, 0, 1, -1, 0.5, "string", "a", [], {}, ["string"], ["a", "a"], [1]),
    boolean(),
    string({ maxLength: 2 }),
    tie("schema"),
    array(tie("schema"), { maxLength: 2 }),
    dictionary(constantFrom("a", "b", "type"), tie("schema"), { maxKeys: 2 }),
  ),
  schema: dictionary(
    constantFrom(
      ..."type properties items anyOf not required enum examples minimum minLength multipleOf title format".split(" "),
      ..."additionalProperties prefixItems $defs uniqueItems deprecated contains dependentSchemas default x".split(" "),
    ),
    tie("value"),
    { maxKeys: 2 },
  ),
}));

test("refuses nothing that the newest draft allows", () => {
  assert(
    property(schema, (one) => {
      if (schemaProblem({ ...parametersWith(one), $schema: draft }, "p") === undefined)
        expect(refusalOf(one)).toBeUndefined();
    }),
    { numRuns: inject("isThorough") ? 1_000 : 40 },
  );
});
