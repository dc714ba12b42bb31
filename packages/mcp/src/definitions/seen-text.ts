import { withoutHidden } from "./hidden-characters.ts";

/** The longest text for the model, in bytes: it is sent with every request. */
const maxTextBytes = 2_048;

const ellipsis = "…";

/** Returns a server's text as both the user and the model see it: without hidden characters, cut between two characters. */
export function seenText(given: string): string {
  const text = withoutHidden(given);
  const bytes = Buffer.from(text);
  if (bytes.length <= maxTextBytes) return text;
  const room = maxTextBytes - Buffer.byteLength(ellipsis);
  // The decoder leaves out a character that is cut in two.
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + ellipsis;
}
