import type { Envelope, Progress, ToolScope } from "@ikigai/protocol";
import type { FinishReason } from "../model/model.ts";
import type { ModelErrorCode } from "../model/model-error.ts";
import type { Usage } from "../model/usage.ts";
import type { TurnEndReason } from "../session/session-event.ts";

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: TurnEndReason;
  /** What the whole turn cost. */
  readonly usage: Usage;
  /** How many requests were answered. */
  readonly steps: number;
  /** The text of the last step. */
  readonly text: string;
  /** One sentence for the user; present unless the turn is done or was interrupted. */
  readonly error?: {
    readonly code: ModelErrorCode | "content_filter" | "cut_off" | "max_steps" | "loop";
    readonly message: string;
  };
}

/** A failed request that is sent again: why it failed, in how long, and which of how many tries that is. */
export interface RetryNotice {
  readonly why: string;
  readonly waitMs: number;
  readonly count: number;
  readonly most: number;
}

/** What happens in a turn, in order. Everything a screen or a log shows comes from these. */
export type AgentEvent =
  | { readonly type: "user"; readonly text: string }
  /** A piece of the answer, as it arrives. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The model has begun to write a call. It is followed by `tool_call`, unless the stream breaks off. */
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  /** The call as the model wrote it; not yet allowed. All calls of a step come before the first of them starts. */
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The executable starts. */
  | {
      readonly type: "tool_start";
      readonly id: string;
      readonly name: string;
      readonly path: string;
      readonly scope: ToolScope;
    }
  | { readonly type: "tool_progress"; readonly id: string; readonly progress: Progress }
  /** Exactly one for each `tool_call`, whether it ran or not. */
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly envelope: Envelope;
      /** The envelope's exact text. */
      readonly json: string;
      readonly durationMs: number;
      /** For the user, for instance that background processes were ended. */
      readonly notes: readonly string[];
    }
  /** Something the user should see: a retry and its wait, an answer that was cut, a log that cannot be written. */
  | { readonly type: "notice"; readonly text: string; readonly retry?: RetryNotice }
  | { readonly type: "step_end"; readonly usage: Usage; readonly finish: FinishReason | "interrupted" | "failed" }
  | ({ readonly type: "turn_end" } & TurnEnd);
