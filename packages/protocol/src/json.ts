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

/**
 * Returns the start of a text, at most `maxLength` UTF-16 units. Never splits a surrogate pair: model servers reject requests
 * with a lone surrogate. Never throws.
 */
export function textStart(text: string, maxLength: number): string {
  const end = Math.max(0, Math.min(text.length, maxLength));
  return text.slice(0, isCharacterBoundary(text, end) ? end : end - 1);
}

/** Returns the end of a text, at most `maxLength` UTF-16 units. Never splits a surrogate pair. Never throws. */
export function textEnd(text: string, maxLength: number): string {
  const start = text.length - Math.max(0, Math.min(text.length, maxLength));
  return text.slice(isCharacterBoundary(text, start) ? start : start + 1);
}

/** Returns whether `text` may be cut before `index`: not inside a surrogate pair. Never throws. */
export function isCharacterBoundary(text: string, index: number): boolean {
  return (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800 || (text.charCodeAt(index) & 0xfc00) !== 0xdc00;
}
