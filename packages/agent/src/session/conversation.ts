import type { Message } from "../model/message.ts";
import type { Measure, Usage } from "../model/usage.ts";
import type { SessionLog } from "./session-log.ts";

/** One conversation, as a value: what was said, and where it is written down. */
export interface Conversation {
  readonly id: string;
  /** The directory it was started in. */
  readonly cwd: string;
  readonly messages: Message[];
  readonly log: SessionLog;
  usage: Usage;
  /** How long the conversation was when the provider last counted. */
  measured?: Measure | undefined;
}
