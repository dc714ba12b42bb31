import type { Message } from "../model/message.ts";

/** Results shorter than this are left as they are, in characters: their words say more than they cost. */
const keptLength = 400;

/**
 * Shortens the results before an index, so that a conversation fits again: what a tool once printed is what an agent misses
 * least, as it can ask again. Says how many characters that saved.
 */
export function compactMessages(messages: Message[], before: number): number {
  let saved = 0;
  for (let index = 0; index < Math.min(before, messages.length); index++) {
    const message = messages[index];
    if (message?.role !== "tool" || message.json.length <= keptLength) continue;
    const json = shortened(message.json);
    saved += message.json.length - json.length;
    messages[index] = { ...message, json };
  }
  return saved;
}

function shortened(json: string): string {
  const success = /^\{\s*"tool_success"\s*:\s*true/.test(json);
  const note = `(${json.length} characters left out to save room; call the tool again if they are needed)`;
  return success
    ? JSON.stringify({ tool_success: true, result: { output: note } })
    : JSON.stringify({ tool_success: false, error: note });
}
