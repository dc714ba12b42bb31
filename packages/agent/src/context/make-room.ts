import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Message } from "@ikigai/models";
import { makePrivateDirectory } from "@ikigai/system";
import { compactMessages, type LeftOut } from "../session/compact-messages.ts";
import type { Conversation } from "../session/conversation.ts";
import { outputsDir } from "../session/session-files.ts";
import { estimateMessage } from "./estimate-tokens.ts";

/**
 * Replaces old results with the names of the files they are saved in, or with just a note if no file can be written. Returns
 * how many characters that saved.
 */
export function shortenResults(conversation: Conversation, before: number): number {
  const { messages, log } = conversation;
  const directory = outputsDir(conversation);
  const changed = [...messages];
  const { saved, leftOut } = compactMessages(changed, before, directory);
  if (saved <= 0) return 0;
  const kept = directory !== undefined && keep(leftOut);
  log.append({ type: "compact", before, ...(kept && { directory }) });
  const tokens = sizeOf(messages);
  const end = compactMessages(messages, before, kept ? directory : undefined);
  const { measured } = conversation;
  if (measured) {
    conversation.measured = { ...measured, tokens: Math.max(0, measured.tokens - tokens + sizeOf(messages)) };
  }
  return end.saved;
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function keep(leftOut: readonly LeftOut[]): boolean {
  try {
    for (const { path, text } of leftOut) {
      makePrivateDirectory(dirname(path));
      writeFileSync(path, text, { mode: 0o600 });
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the index where the kept end of a conversation begins: about `maxTokens` tokens, always from the start of a step
 * or turn. The last step is included even if it is larger, up to `maxLastStep`, because the model has not seen its results
 * yet.
 */
export function tailStart(
  messages: readonly Message[],
  { maxTokens, maxLastStep }: { readonly maxTokens: number; readonly maxLastStep: number },
): number {
  let tokens = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) break;
    tokens += estimateMessage(message);
    if (tokens > (start === messages.length ? maxLastStep : maxTokens)) break;
    if (message.role !== "tool") start = index;
  }
  return start;
}
