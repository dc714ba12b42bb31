import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";

/** The JSON objects in a tool's output, and the text around them. */
export interface Printed {
  readonly objects: readonly JsonObject[];
  readonly rest: string;
}

/** Finds the objects in output that should be one object. A list of objects counts as none: it is a different answer, not noise. */
export function takeApart(text: string): Printed {
  const whole = parseObject(text);
  if (whole) return { objects: [whole], rest: "" };
  if (isJson(text)) return { objects: [], rest: text };
  const objects: JsonObject[] = [];
  let rest = "";
  let attempts = 0;
  for (let at = 0; at < text.length; ) {
    const end = text[at] === "{" && ++attempts <= maxAttempts ? endOfObject(text, at) : undefined;
    const object = end === undefined ? undefined : parseObject(text.slice(at, end));
    if (object) objects.push(object);
    else rest += text[at];
    at = object && end !== undefined ? end : at + 1;
  }
  // An object on one line that cannot be parsed: what is inside of it is not the answer.
  if (rest.trim() !== "" && /^\s*\{.*\}\s*$/.test(text)) return { objects: [], rest: text.trim() };
  return { objects, rest: rest.trim() };
}

/** The most braces to try: text with many unclosed braces would take too long. */
const maxAttempts = 1_000;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bracesAndStrings = /[{}]|"(?:[^"\\]|\\.)*"/gs;

/** The end of the object that begins here, if it has one. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  bracesAndStrings.lastIndex = start;
  for (let token = bracesAndStrings.exec(text); token; token = bracesAndStrings.exec(text)) {
    if (token[0] === "{") depth++;
    if (token[0] === "}" && --depth === 0) return bracesAndStrings.lastIndex;
  }
  return undefined;
}
