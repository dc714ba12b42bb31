import type { JsonObject } from "@ikigai/protocol";

/** The arguments of a call, when they are an object; what a model writes need not be. */
export function parseArguments(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
