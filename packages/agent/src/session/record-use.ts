import type { Model, ThinkingLevel } from "../model/model.ts";
import type { Conversation } from "./conversation.ts";

interface Chosen {
  readonly conversation: Conversation;
  readonly thinking?: ThinkingLevel;
}

/** Records what the user has chosen for the following requests. The first answer of a new session records it anyway. */
export function recordUse({ conversation, thinking }: Chosen, { id }: Pick<Model, "id">): void {
  const { messages, log } = conversation;
  if (messages.length > 0) log.append({ type: "use", model: id, ...(thinking && { thinking }) });
}
