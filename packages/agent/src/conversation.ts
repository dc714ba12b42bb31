import type { Message } from "./message.ts";
import type { SessionLog } from "./session-log.ts";
import type { Usage } from "./usage.ts";

/** One conversation, as a value: what was said, and where it is written down. */
export interface Conversation {
  readonly id: string;
  /** The directory it was started in. */
  readonly cwd: string;
  readonly messages: Message[];
  readonly log: SessionLog;
  usage: Usage;
}
