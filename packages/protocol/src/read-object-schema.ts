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

/** Moves each property's `"required": true` into its object's list, at every level. */
function hoistRequired(schema: JsonObject): JsonObject {
  const { properties, required: own, ...rest } = schema;
  if (!isJsonObject(properties)) return schema;
  const hoisted: string[] = [];
  const entries = Object.entries(properties).map(([name, property]): [string, JsonValue] => {
    if (!isJsonObject(property)) return [name, property];
    const { required, ...bare } = property;
    if (required === true) hoisted.push(name);
    return [name, hoistRequired(typeof required === "boolean" ? bare : property)];
  });
  const required = [...new Set([...(isNameList(own) ? own : []), ...hoisted])];
  return { ...rest, properties: Object.fromEntries(entries), ...(required.length > 0 && { required }) };
}

function isNameList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
