import type { Conversation } from "./conversation.ts";

export interface StartOptions {
  /** The user's directory; sessions are kept below it. */
  readonly home: string;
  readonly cwd: string;
}

/** A new conversation. Where its log cannot be written it works all the same: `log.problem` says why. */
export declare function startConversation(options: StartOptions): Conversation;
