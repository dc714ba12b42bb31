import type { JsonObject } from "@ikigai/protocol";

/** The JSON object that a text is; undefined when it is something else. Nothing at all counts as an empty one. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
