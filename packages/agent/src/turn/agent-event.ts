// The public types of a turn: how it ends, a retry, its events in their order, and the user's message.

import type { FinishReason, Image, ModelErrorCode, ShownVisual, Usage } from "@ikigai/models";
import type { Envelope, Progress, ToolScope } from "@ikigai/protocol";
import type { TurnEndReason } from "@ikigai/session";

/** How a turn ended. */
export interface TurnEnd {
  /** Why it ended. */
  readonly reason: TurnEndReason;
  /** The usage of the whole turn. */
  readonly usage: Usage;
  /** How many requests were answered. */
  readonly steps: number;
  /** The text of the last step. */
  readonly text: string;
  /** The JSON text of the answer, which fits the output schema; absent without one, and if no answer fits. */
  readonly structured?: string;
  /** One sentence for the user; absent if the turn is done or was interrupted. */
  readonly error?: {
    /** The kind of failure, for programs. */
    readonly code:
      | ModelErrorCode
      | "content_filter"
      | "cut_off"
      /** The model wrote a call as text: the server does not parse its calls. */
      | "call_as_text"
      | "max_steps"
      | "loop"
      | "output_schema"
      | "hook"
      | "budget_spent"
      /** A limit of the cost or the time. */
      | "limit_reached"
      /** A limit of the cost was set for this run, and the price of the model is unknown. */
      | "price_unknown"
      /** The model has answered without a call several times, and its goal is not reached. */
      | "goal_missed";
    /** The sentence. */
    readonly message: string;
  };
}

/** A retry: why the request failed, the delay, and the retry's number out of how many. */
export interface RetryNotice {
  /** Why the request failed, for people. */
  readonly why: string;
  /** The same in a few words, without the server's address. */
  readonly brief: string;
  /** The server that answered, for people; absent if none did. */
  readonly server?: string;
  /** The kind of failure. */
  readonly code: ModelErrorCode;
  /** The delay before the retry, in milliseconds. */
  readonly waitMs: number;
  /** The retry's number, from 1. */
  readonly count: number;
  /** Maximum number of retries. */
  readonly most: number;
}

/** The events of a turn, in order; the last is a `TurnEnd` with the type `turn_end`. Screens and logs show nothing else. */
export type AgentEvent =
  | { readonly type: "user"; readonly text: string }
  /** A piece of the response, as it arrives. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The model has begun a call. `tool_call` follows, unless the stream breaks off. */
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  /** The call as the model wrote it, before permission. All calls of a step come before the first one starts. */
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The executable is about to start. */
  | {
      readonly type: "tool_start";
      readonly id: string;
      readonly name: string;
      readonly path: string;
      readonly scope: ToolScope;
      /** What the tool gets, if a hook changed the arguments that the model wrote. */
      readonly arguments?: string;
    }
  | { readonly type: "tool_progress"; readonly id: string; readonly progress: Progress }
  /** The tool shows something during its call. */
  | { readonly type: "shown"; readonly id: string; readonly visual: ShownVisual }
  /** Exactly one per `tool_call`, whether or not it ran. */
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
      /** What to draw for the user; absent without any. */
      readonly visuals?: readonly ShownVisual[];
    }
  /** Something the user should see: a retry and its delay, a truncated response, a log that cannot be written. */
  | { readonly type: "notice"; readonly text: string; readonly retry?: RetryNotice }
  | { readonly type: "step_end"; readonly usage: Usage; readonly finish: FinishReason | "interrupted" | "failed" }
  | ({ readonly type: "turn_end" } & TurnEnd);

/** A user message with its images. */
export interface UserInput {
  readonly text: string;
  readonly images?: readonly Image[];
}
