import type { CallArguments } from "@ikigai/core/internal";
import { isDeeperThan, isJsonObject, maxJsonLevels, textStart } from "@ikigai/protocol";
import { duplicateName } from "@ikigai/system";

/** A call's arguments as a tool gets them, or the error in them. */
export type CheckedArguments = CallArguments | { readonly error: string };

/** How much of invalid arguments is quoted, in characters. */
const maxQuoted = 80;

/**
 * Checks a call's arguments. Empty text means an empty object; anything else must be a JSON object without duplicate names and
 * of at most `maxJsonLevels`.
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
  if (isDeeperThan(value, maxJsonLevels))
    return { error: `The arguments are nested deeper than ${maxJsonLevels} levels.` };
  const twice = duplicateName(text, 1);
  // A question would show one of the two, and a tool may read the other.
  if (twice !== undefined) return { error: `The arguments name ${JSON.stringify(twice)} twice. Name it once.` };
  return { text, value };
}

function quote(text: string): string {
  return text.length > maxQuoted ? `${textStart(text, maxQuoted)}…` : text;
}
