import type { RegisteredTool } from "@ikigai/core";
import type { AskResult, QuestionKind } from "@ikigai/protocol";

/** A question that a tool puts to the user during its call. */
export interface ToolQuestion {
  /** The model's ID of the call. */
  readonly callId: string;
  /** The tool that asks. */
  readonly tool: RegisteredTool;
  /** The agents whose tool asks, from the outside to the inside; absent for a tool of this session. */
  readonly agents?: readonly string[];
  /** The directory in which the agent works. */
  readonly directory?: string;
  /** The tool's words. They may contain control characters and several lines. */
  readonly question: string;
  /** What kind of answer it wants. */
  readonly kind: QuestionKind;
  /** The answers to choose from, for the kind `choice`; else empty. */
  readonly options: readonly string[];
}

/**
 * Puts a tool's question to the user, one question at a time. The answer to a `confirm` is `yes` or `no`; that to a `choice` is one
 * of the options, or something else that the user has written. Returns `undefined` if the user can no longer be asked, and soon after
 * the signal is aborted.
 */
export type AnswerTool = (question: ToolQuestion, signal: AbortSignal) => Promise<AskResult | undefined>;
