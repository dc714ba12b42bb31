import type { Patience } from "../config/patience.ts";
import type { Usage } from "../model/usage.ts";
import type { Conversation } from "../session/conversation.ts";
import type { SessionEvent } from "../session/session-event.ts";
import type { AheadCalls } from "./ahead-calls.ts";
import type { LoopGuard } from "./loop-guard.ts";
import type { TurnOptions } from "./turn-options.ts";

/** A turn while it runs: what it was given, and how far it is. */
export interface TurnContext extends TurnOptions {
  readonly conversation: Conversation;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly guard: LoopGuard;
  readonly ahead: AheadCalls;
  readonly secrets: readonly string[];
  usage: Usage;
  steps: number;
  /** What was said in the last step. */
  text: string;
  /** One question at a time: the end of the one that is open. */
  question: Promise<unknown>;
  /** How often the conversation had to be shortened for a request that was refused; 0 again after one that worked. */
  compactions: number;
  /** After how many steps the model last failed to summarize. It is not asked again at every step. */
  summaryFailedAtStep?: number;
  /** Writes to the log, before anything is done about it. Tells the user once when that stops working. */
  record(event: SessionEvent): void;
}
