import type { CallArguments } from "@ikigai/core/internal";
import { isJsonObject, textStart } from "@ikigai/protocol";

/** A call's arguments as a tool gets them, or the error in them. */
export type CheckedArguments = CallArguments | { readonly error: string };

/** How much of invalid arguments is quoted, in characters. */
const maxQuoted = 80;

/**
 * Checks a call's arguments. Empty text means an empty object; anything else must be a JSON object without duplicate names.
 */
export function checkArguments(text: string): CheckedArguments {
  if (text.trim() === "") return { text: "{}", value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `Expected the arguments to be a JSON object: ${(error as Error).message}. Got ${quote(text)}.` };
  }
  if (!isJsonObject(value)) {
    return { error: `Expected the arguments to be a JSON object, got ${quote(text)}.` };
  }
  const twice = duplicateName(text);
  // A question would show one of the two, and a tool may read the other.
  if (twice !== undefined) return { error: `The arguments name ${JSON.stringify(twice)} twice. Name it once.` };
  return { text, value };
}

function quote(text: string): string {
  return text.length > maxQuoted ? `${textStart(text, maxQuoted)}…` : text;
}

// A repeated choice between two would overflow the stack in a string of some megabytes.
const tokenPattern = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** Returns a duplicate name in the outermost object of a valid JSON text. */
function duplicateName(json: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  let last = "";
  for (const [token] of json.matchAll(tokenPattern)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token === ":" && depth === 1) {
      const name = JSON.parse(last) as string;
      if (seen.has(name)) return name;
      seen.add(name);
    }
    last = token;
  }
  return undefined;
}
