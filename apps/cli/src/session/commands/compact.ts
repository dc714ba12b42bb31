// /compact: has the model summarize the conversation, or a part of it.

import { ModelError } from "@ikigai/models";
import { compactConversation, contextSize } from "@ikigai/session";
import { tokenCount } from "@ikigai/system";
import { requestPartsOf, type Session } from "../session.ts";

/** What became of it, and whether it failed. */
interface Compacted {
  readonly text: string;
  readonly hasFailed: boolean;
}

/** The part of a conversation that is summarized: from one of the messages to the end, or all before one. */
export type CompactedPart = { readonly from: number } | { readonly before: number };

/** Reads what follows /compact: whether a part is meant, and what to keep. */
export function readCompact(words: string): { readonly side?: "from" | "before"; readonly focus: string } {
  const [, side, focus = words] = /^(from|up\s+to)\s+here\b\s*(.*)$/s.exec(words) ?? [];
  return side === undefined ? { focus } : { side: side === "from" ? side : "before", focus };
}

/** Has the model summarize the conversation, or a part of it; `words` say what to keep, and may be empty. */
export async function compactSession(
  { agent, model }: Pick<Session, "agent" | "model">,
  words: string,
  signal: AbortSignal,
  part?: CompactedPart,
): Promise<Compacted> {
  if (model.id.startsWith("offline/"))
    return { text: "Compacting needs a language model. To choose one: /model", hasFailed: true };
  const { conversation } = agent;
  const notices: string[] = [];
  const hooked = await agent.beforeCompact(words, { signal, notice: (text) => notices.push(text) });
  const shown = (text: string, hasFailed: boolean) => ({ text: [...notices, text].join("\n"), hasFailed });
  if ("refusal" in hooked) return shown(hooked.refusal, true);
  const parts = await requestPartsOf({ agent, model });
  // Estimated, as the size afterwards: a provider counts differently, so that the two could not be compared.
  const before = contextSize({ ...conversation, measured: undefined }, parts);
  try {
    const isShorter = await compactConversation(conversation, { model, ...parts, signal, ...hooked, ...part });
    if (!isShorter)
      return shown("Nothing gained: the summary is no shorter than this part, which stays as it is.", true);
  } catch (error) {
    // An aborted request may end with any error.
    if (signal.aborted) return shown("Interrupted. The conversation is unchanged.", true);
    if (!(error instanceof ModelError)) throw error;
    return shown(error.message, true);
  }
  const after = contextSize(conversation, parts);
  // The summary of a short conversation may be longer than the conversation.
  const sizes = after < before ? `${tokenCount(before)} → ${tokenCount(after)}` : `to ${tokenCount(after)}`;
  return shown(`Compacted ${sizes} tokens. The session file keeps all messages.`, false);
}
