// JSON of models and tools, read and shown.

import { isSystemBash, type Question } from "@ikigai/permission";
import { isDeeperThan, type JsonObject, type JsonValue } from "@ikigai/protocol";
import { sanitise } from "@ikigai/screen";
import { parseObject as parseJsonObject } from "@ikigai/system";

/** Parses a JSON object; undefined for anything else. An empty text counts as an empty object. */
export function parseObject(text: string): JsonObject | undefined {
  return text.trim() === "" ? {} : parseJsonObject(text);
}

/**
 * Returns JSON with the same value, on one line, that is safe to print on a terminal: control, bidirectional and zero-width
 * characters are escaped.
 */
export function safeJson(json: string): string {
  // JSON allows raw control characters only between values, as white space.
  const line = json.replace(/[\r\n\t]+/g, " ");
  // Most texts need no escaping.
  if (sanitise(line) === line) return line;
  return [...line].map((character) => (sanitise(character) === character ? character : escaped(character))).join("");
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Deeper values are printed on one line: of 64 kB, the indentation could be a thousand times as much. */
const maxIndentedLevels = 16;

/** Prints a value, with `indent` on several lines. One of so many levels that it cannot be printed becomes a parenthesis that says so. */
export function printedJson(value: JsonValue, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, isDeeperThan(value, maxIndentedLevels) ? undefined : indent);
  } catch {
    return "(JSON that is too deep to show)";
  }
}

/** Returns untrusted text as JSON: unchanged if it is valid JSON, else as a JSON string. */
export function jsonOrText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** The command of a call of the system's bash, whose JSON reader takes the last of several equal keys, as ours does. */
export function bashCommandOf({ call, tool }: Pick<Question, "call" | "tool">): string | undefined {
  const { command } = parseObject(call.arguments) ?? {};
  return isSystemBash(tool) && typeof command === "string" ? command : undefined;
}
