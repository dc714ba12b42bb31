import { asTyped, type Conversation, userTurns } from "@ikigai/agent/internal";
import { textStart } from "@ikigai/protocol";
import { sanitiseLine } from "./sanitise.ts";

/** How much of the first message is shown, in characters. */
const maxTitleLength = 60;

/** Which conversation is resumed; undefined if it has no messages yet, or its session cannot be read. */
export function resumedNote(conversation: Conversation): string | undefined {
  if (conversation.messages.length === 0) return undefined;
  try {
    const turns = userTurns(conversation);
    const [first] = turns;
    if (!first) return undefined;
    const text = sanitiseLine(asTyped(first).replace(/\s+/g, " ").trim());
    const title = text.length > maxTitleLength ? `${textStart(text, maxTitleLength)}…` : text;
    return `Resumed: ${title} (${turns.length} message${turns.length === 1 ? "" : "s"})`;
  } catch {
    return undefined;
  }
}
