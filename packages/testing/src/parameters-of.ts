import type { JsonObject, JsonValue } from "@ikigai/protocol";
import { isObject } from "./parse-object.ts";

/** The parameters in what a tool says of itself; MCP calls them `inputSchema`. */
export function parametersOf(schema: JsonObject): JsonValue | undefined {
  return schema.parameters ?? schema.inputSchema;
}

/** The parameters as a JSON Schema, whichever form the tool has chosen; empty when they are neither. */
export function objectSchemaOf(schema: JsonObject): JsonObject {
  const given = parametersOf(schema);
  if (isOlderForm(given)) return toJsonSchema(given);
  return isObject(given) ? given : {};
}

/**
 * Whether parameters are in the older form, a map from names to types: `{"city": {"type": "string", "required": true}}`.
 *
 * A JSON Schema has a `type` that is no object, so one without any key is still a JSON Schema.
 */
export function isOlderForm(parameters: JsonValue | undefined): parameters is Record<string, JsonObject> {
  if (!isObject(parameters)) return false;
  const values = Object.values(parameters);
  return values.length > 0 && values.every((value) => isObject(value) && typeof value.type === "string");
}

/** The older form as the JSON Schema that it stands for. */
export function toJsonSchema(parameters: Record<string, JsonObject>): JsonObject {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { required, ...property }]) => [
        name,
        typeof required === "boolean" || required === undefined ? property : { ...property, required },
      ]),
    ),
    required: entries.filter(([, { required }]) => required === true).map(([name]) => name),
  };
}
