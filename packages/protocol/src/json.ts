/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object: a tool's arguments, or its answer. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Returns whether a parsed value is a JSON object, not an array or null. Never throws. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value's JSON type for a message: `an array`, `a string`, … Never throws. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
