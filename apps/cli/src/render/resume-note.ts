import type { Conversation } from "@ikigai/agent/internal";

/** How to continue the conversation; undefined if there is nothing to continue, or its session could not be saved. */
export function resumeNote({ id, messages, log }: Conversation): string | undefined {
  return messages.length > 0 && !log.problem ? `To resume: ikigai --resume ${id}` : undefined;
}
