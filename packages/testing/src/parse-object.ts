import type { JsonObject, JsonValue } from "@ikigai/protocol";

/** What `text` is, if it is one JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object, which an array and `null` are not. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
