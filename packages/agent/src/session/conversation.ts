import type { Message } from "../model/message.ts";
import type { ModelUse } from "../model/model.ts";
import type { Measure, Usage } from "../model/usage.ts";
import type { TurnEndReason } from "./session-event.ts";
import type { SessionLog } from "./session-log.ts";

/** A conversation as a value: its messages and its log. */
export interface Conversation {
  readonly id: string;
  /** The directory it started in. */
  readonly cwd: string;
  readonly messages: Message[];
  readonly log: SessionLog;
  /** The parts of its system prompt, as sent with the first request, or the first one after a summary. */
  prompt?: Readonly<Record<string, string>> | undefined;
  /** The tools that were loaded, in this order: their schemas are part of every request. */
  readonly introduced: string[];
  /** The tools that requests leave out since the server rejects their schemas. */
  rejectedTools?: ReadonlySet<string>;
  usage: Usage;
  /** The size of the conversation when the provider last counted it. */
  measured?: Measure | undefined;
  /** How many turns in a row have ended because the provider rejected the messages. */
  rejections?: number;
  /** The model that the user last chose, or the last request used, before it was resumed. */
  readonly lastUse?: ModelUse;
  /** The turns before it was resumed. Their positions are those of the messages at that moment. */
  readonly turns?: readonly PastTurn[];
}

/** A turn that has ended, as its session's log tells it, for the screen. */
export interface PastTurn {
  /** How many messages the conversation had when it ended. */
  readonly end: number;
  readonly reason: TurnEndReason;
  /** Why it failed; one sentence. */
  readonly error?: string;
  readonly endedAt: Date;
  /** How long it worked, in milliseconds: without the time in which a question may have been open. */
  readonly workedMs: number;
  readonly usage: Usage;
  /** The model of its last request; absent if it made none. */
  readonly model?: string;
  /** The copies of the files that its calls changed, by the calls' IDs; `null` for a file that did not exist. */
  readonly before: ReadonlyMap<string, string | null>;
}
