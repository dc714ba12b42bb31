import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import { hasInvisible, withoutInvisible } from "@ikigai/system";

/** The longest text for the model, in bytes: it is sent with every request. */
const maxTextBytes = 2_048;

const ellipsis = "…";

/** Returns a server's text as both the user and the model see it: without invisible characters, cut between two characters. */
export function seenText(given: string): string {
  const { text } = withoutInvisible(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const room = maxTextBytes - Buffer.byteLength(ellipsis);
  // The decoder leaves out a character that is cut in two.
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + ellipsis;
}

/** Whether a name or a text in a JSON value has invisible characters. */
export function hasInvisibleText(root: JsonValue): boolean {
  const values = [root];
  for (const value of values) {
    if (typeof value === "string" && hasInvisible(value)) return true;
    if (typeof value !== "object" || value === null) continue;
    if (isJsonObject(value)) values.push(...Object.keys(value));
    for (const child of Object.values(value)) values.push(child);
  }
  return false;
}
