import { isJsonObject, type JsonObject } from "@ikigai/protocol";

/** The JSON object that a text is; `undefined` when it is something else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
