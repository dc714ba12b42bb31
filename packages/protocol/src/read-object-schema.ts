import { textStart } from "./cut-text.ts";
import { isJsonObject, type JsonObject, type JsonValue, kindOf } from "./json.ts";

/** A JSON Schema of type `object`, or why it is not one: the end of a sentence. */
export type SchemaReading = { readonly schema: JsonObject } | { readonly problem: string };

/**
 * Reads a tool's parameters: a JSON Schema of type `object`, or the
 * older map from names to types with `"required": true` in each.
 *
 * A boolean `required` inside a property is accepted in both and moved to the object's list: model servers reject it, and a
 * single such tool would make every request fail.
 *
 * @throws RangeError if it is nested thousands of levels deep: check `isTooDeep` first, as `readToolSchema` does.
 */
export function readObjectSchema(declared: JsonValue | undefined): SchemaReading {
  if (!isJsonObject(declared)) return { problem: `expected a JSON Schema, got ${kindOf(declared)}` };
  if (isOlderForm(declared)) return { schema: hoistRequired({ type: "object", properties: declared }) };
  if (!hasKeyword(declared))
    return { problem: `expected a JSON Schema, got ${textStart(JSON.stringify(declared), 60)}` };
  const { type = "object", properties = {} } = declared;
  if (type !== "object") return { problem: `expected a JSON Schema of type "object", got ${JSON.stringify(type)}` };
  if (!isJsonObject(properties)) return { problem: `expected "properties" to be an object, got ${kindOf(properties)}` };
  const { required } = declared;
  if (required !== undefined && typeof required !== "boolean" && !isNameList(required)) {
    return { problem: 'expected "required" to be a list of names' };
  }
  return { schema: hoistRequired({ ...declared, type, properties }) };
}

/** Keywords that identify a JSON Schema without a `type`. */
const keywords = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "description",
  "oneOf",
  "properties",
  "required",
  "title",
]);

function hasKeyword(declared: JsonObject): boolean {
  return Object.keys(declared).some((key) => key === "type" || key.startsWith("$") || keywords.has(key));
}

/**
 * Returns whether parameters have the older form, a map from names to types: `{"city": {"type": "string", "required": true}}`.
 *
 * In the older form every value is an object that describes a parameter; in a JSON Schema `type` is a string, and `properties`
 * is a map of parameters. Never throws.
 */
export function isOlderForm(declared: JsonObject): boolean {
  const { properties } = declared;
  if (isJsonObject(properties) && typeof properties.type !== "string") return false;
  return Object.entries(declared).every(([key, value]) => isJsonObject(value) && !key.startsWith("$"));
}

/** Keywords whose value is a schema or a list of schemas, and those with a map of schemas. Others, such as `enum`, hold data. */
const schemaKeywords = new Set(
  (
    "items additionalItems prefixItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties " +
    "allOf anyOf oneOf not if then else"
  ).split(" "),
);
const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Moves each property's `"required": true` into its object's list, at every level. */
function hoistRequired(schema: JsonObject): JsonObject {
  const { properties, required: own } = schema;
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  const hoisted = named.flatMap(([name, property]) =>
    isJsonObject(property) && property.required === true ? [name] : [],
  );
  const required = [...new Set([...(isNameList(own) ? own : []), ...hoisted])];
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (key === "required" && isJsonObject(properties)) return [];
    if (schemaKeywords.has(key)) return [[key, Array.isArray(value) ? value.map(hoistedIn) : hoistedIn(value)]];
    if (!schemaMaps.has(key) || !isJsonObject(value)) return [[key, value]];
    return [[key, mapValues(value, (one) => hoistedIn(key === "properties" ? withoutFlag(one) : one))]];
  });
  return { ...Object.fromEntries(entries), ...(required.length > 0 && { required }) };
}

function hoistedIn(value: JsonValue): JsonValue {
  return isJsonObject(value) ? hoistRequired(value) : value;
}

function withoutFlag(property: JsonValue): JsonValue {
  if (!isJsonObject(property) || typeof property.required !== "boolean") return property;
  const { required: _, ...bare } = property;
  return bare;
}

function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function isNameList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
