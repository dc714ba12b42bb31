import type { JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";

/** What a tool printed: the JSON objects in it, and what stands around them. */
export interface Printed {
  readonly objects: readonly JsonObject[];
  readonly rest: string;
}

/** Finds the objects in what should have been one. A list of objects has none: it is another answer, not noise around one. */
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
  return { objects, rest: rest.trim() };
}

/** How many braces are tried: text in which each opens something that never ends would take for ever. */
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

/** Where the object that begins here ends, if it does. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  bracesAndStrings.lastIndex = start;
  for (let token = bracesAndStrings.exec(text); token; token = bracesAndStrings.exec(text)) {
    if (token[0] === "{") depth++;
    if (token[0] === "}" && --depth === 0) return bracesAndStrings.lastIndex;
  }
  return undefined;
}
