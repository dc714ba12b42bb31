import type { JsonObject, JsonValue } from "@ikigai/protocol";
import { isObject } from "./parse-object.ts";

/** Says what is wrong with a value, without its name: `to be …`. */
type Rule = (value: JsonValue, path: string) => string | undefined;

/**
 * The first thing that keeps a value from being a JSON Schema, in a sentence that names the place.
 *
 * It looks at the shape of the keywords that tools use; keywords it does not know are fine, as JSON Schema has it.
 */
export function schemaProblem(schema: JsonValue, path: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return unexpected(path, "a JSON Schema", schema);
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = rules.get(keyword)?.(value, `${path}.${keyword}`);
    if (problem !== undefined) return problem;
  }
  return missingProperty(schema, path);
}

const types = new Set<JsonValue>(["string", "number", "integer", "boolean", "object", "array", "null"]);

const rules = new Map<string, Rule>([
  ["type", type],
  ["enum", (value, path) => (isFilledArray(value) ? undefined : unexpected(path, "a list of values", value))],
  ["required", (value, path) => (isNames(value) ? undefined : unexpected(path, "a list of names", value))],
  ["items", (value, path) => (Array.isArray(value) ? schemaList(value, path) : schemaProblem(value, path))],
  ["pattern", pattern],
  ...each(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], schemaMap),
  ...each(["anyOf", "oneOf", "allOf", "prefixItems"], schemaList),
  ...each(["not", "additionalProperties", "propertyNames", "contains", "if", "then", "else"], schemaProblem),
  ...each(["title", "description", "format", "$ref", "$schema", "$id", "$comment"], (value, path) =>
    typeof value === "string" ? undefined : unexpected(path, "a string", value),
  ),
  ...each(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], (value, path) =>
    typeof value === "number" ? undefined : unexpected(path, "a number", value),
  ),
  ...each(
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"],
    (value, path) => (isCount(value) ? undefined : unexpected(path, "an integer of at least 0", value)),
  ),
]);

function each(keywords: readonly string[], rule: Rule): [string, Rule][] {
  return keywords.map((keyword) => [keyword, rule]);
}

function type(value: JsonValue, path: string): string | undefined {
  const names = Array.isArray(value) ? value : [value];
  const isKnown = names.length > 0 && names.every((name) => types.has(name));
  return isKnown ? undefined : unexpected(path, `one of ${[...types].join(", ")}`, value);
}

function pattern(value: JsonValue, path: string): string | undefined {
  if (typeof value !== "string") return unexpected(path, "a string", value);
  try {
    new RegExp(value, "u");
    return undefined;
  } catch {
    return unexpected(path, "a regular expression", value);
  }
}

function schemaMap(value: JsonValue, path: string): string | undefined {
  if (!isObject(value)) return unexpected(path, "an object", value);
  return firstProblem(
    Object.entries(value).map(
      ([name, schema]) =>
        () =>
          schemaProblem(schema, `${path}.${name}`),
    ),
  );
}

function schemaList(value: JsonValue, path: string): string | undefined {
  if (!isFilledArray(value)) return unexpected(path, "a list of JSON Schemas", value);
  return firstProblem(value.map((schema, index) => () => schemaProblem(schema, `${path}[${index}]`)));
}

function firstProblem(attempts: readonly (() => string | undefined)[]): string | undefined {
  for (const attempt of attempts) {
    const problem = attempt();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function missingProperty({ required, properties }: JsonObject, path: string): string | undefined {
  if (!isNames(required) || !isObject(properties)) return undefined;
  const name = required.find((candidate) => !Object.hasOwn(properties, candidate));
  return name === undefined ? undefined : `"${path}.required" names ${JSON.stringify(name)}, which is no property.`;
}

function isNames(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isFilledArray(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

function isCount(value: JsonValue): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function unexpected(path: string, expectation: string, value: JsonValue): string {
  const text = JSON.stringify(value);
  return `Expected "${path}" to be ${expectation}, got ${text.length > 60 ? `${text.slice(0, 60)}…` : text}.`;
}
