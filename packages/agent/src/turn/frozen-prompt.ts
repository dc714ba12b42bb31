import type { Conversation } from "../session/conversation.ts";
import type { PromptParts } from "./system-prompt.ts";

/*
 * A conversation's system prompt is written once and sent unchanged, byte for byte: providers cache the beginning of a request, and
 * a changed date or mode would cost the whole conversation again. What has changed since is part of the next user message.
 */

/** What a turn sends: the conversation's system prompt, and the parts that the model does not know yet. */
export interface FrozenPrompt {
  readonly system: string;
  /** The parts of a prompt that is new, for the log. */
  readonly parts?: PromptParts;
  /** What the next user message tells: parts that are new, changed or, if empty, gone. */
  readonly changed?: PromptParts;
}

/** Compares the parts of a prompt as it would be now with what the model of a conversation has been told. */
export function freezePrompt(
  { prompt, messages }: Pick<Conversation, "prompt" | "messages">,
  now: PromptParts,
): FrozenPrompt {
  if (!prompt) return { system: promptText(now), parts: now };
  const told = new Map(Object.entries(prompt));
  for (const message of messages) {
    if (message.role === "user") for (const [name, text] of Object.entries(message.changed ?? {})) told.set(name, text);
  }
  const names = [...new Set([...Object.keys(now), ...told.keys()])];
  const changed = names.filter((name) => (now[name] ?? "") !== (told.get(name) ?? ""));
  return {
    system: promptText(prompt),
    ...(changed.length > 0 && { changed: Object.fromEntries(changed.map((name) => [name, now[name] ?? ""])) }),
  };
}

/** Returns the text of a prompt. */
export function promptText(parts: PromptParts): string {
  return Object.values(parts)
    .filter((text) => text !== "")
    .join("\n\n");
}
