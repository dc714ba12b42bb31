import { ToolFailure } from "@ikigai/tool-sdk";

/** Shorter ones are not keys, and would match ordinary words. */
const minKeyLength = 8;

const removed = "[key removed]";

/**
 * Returns a function that removes a key from a text: a service may send back what it was sent, in a host, which is in lower case, or
 * percent-encoded, also more than once.
 */
export function keyRemover(key: string): (text: string) => string {
  if (key.length < minKeyLength) return (text) => text;
  const pattern = new RegExp([...key].map(spellings).join(""), "gi");
  return (text) => text.replace(pattern, removed);
}

/** What matches a character of a key. */
function spellings(character: string): string {
  const codes = [character.toLowerCase(), character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16));
  return `(?:${character.replace(/\W/, "\\$&")}|%(?:25)*(?:${codes.join("|")}))`;
}

/** Removes a key from everything that an action returns or says about a failure. */
export async function withoutKey<Answer>(key: string, action: () => Promise<Answer>): Promise<Answer> {
  const clean = keyRemover(key);
  try {
    return inTexts(await action(), clean) as Answer;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const { code, message, details } = error as ToolFailure<string>;
    throw new ToolFailure<string>(code, clean(message), inTexts(details, clean) as typeof details);
  }
}

function inTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inTexts(item, clean)]));
}
