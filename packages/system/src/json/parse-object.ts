import { isJsonObject, type JsonObject } from "@ikigai/protocol";

/** Parses a JSON object; returns `undefined` for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
