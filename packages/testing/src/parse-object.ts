import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";

/** What `text` is, if it is one JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
