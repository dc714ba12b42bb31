import type { JsonObject } from "@ikigai/protocol";
import { parseObject as parseJsonObject } from "@ikigai/system";
import { sanitise } from "./sanitise.ts";

/** The JSON object that a text is; undefined when it is something else. Nothing at all counts as an empty one. */
export function parseObject(text: string): JsonObject | undefined {
  return text.trim() === "" ? {} : parseJsonObject(text);
}

/**
 * A JSON text with the same value in which no character drives a terminal or hides something: control, bidirectional and
 * zero-width characters are escaped. On one line.
 */
export function safeJson(json: string): string {
  // Between values these are white space; inside of them JSON has no raw control characters.
  const line = json.replace(/[\r\n\t]+/g, " ");
  // Most texts have none.
  if (sanitise(line) === line) return line;
  return [...line].map((character) => (sanitise(character) === character ? character : escaped(character))).join("");
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Somebody else's text as JSON: what it says if it is JSON, else the text as a string. */
export function jsonOrText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
