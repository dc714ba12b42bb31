import type { Message } from "../model/message.ts";
import type { ModelUse } from "../model/model.ts";
import type { Measure, Usage } from "../model/usage.ts";
import type { SessionLog } from "./session-log.ts";

/** A conversation as a value: its messages and its log. */
export interface Conversation {
  readonly id: string;
  /** The directory it started in. */
  readonly cwd: string;
  readonly messages: Message[];
  readonly log: SessionLog;
  /** The tools that were loaded, in this order: their schemas are part of every request. */
  readonly introduced: string[];
  usage: Usage;
  /** The size of the conversation when the provider last counted it. */
  measured?: Measure | undefined;
  /** The model of the last request before it was resumed. */
  readonly lastUse?: ModelUse;
}
