import type { Conversation } from "./conversation.ts";
import type { StartOptions } from "./start-conversation.ts";

export interface ResumedConversation {
  readonly conversation: Conversation;
  /** What was repaired or is missing, for the user: lines that could not be read, calls that never ended, a copy made. */
  readonly notices: readonly string[];
}

/**
 * Goes on with a session of the log directory. A call without a result gets a cancelled one. When another process writes
 * the session, a copy with an id of its own is made.
 *
 * @throws Error when there is no such session, or its file cannot be read.
 */
export declare function resumeConversation(
  options: StartOptions & { readonly id: string },
): Promise<ResumedConversation>;
