import type { JsonObject } from "@ikigai/protocol";
import type { Message, ProviderMetadata } from "./message.ts";
import type { Usage } from "./usage.ts";

/** A tool as the model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly parameters: JsonObject;
}

/** How much a model thinks before it answers, where it lets one choose. */
export const thinkingLevels = ["none", "low", "medium", "high", "max"] as const;

export type ThinkingLevel = (typeof thinkingLevels)[number];

/** One request. It holds the whole conversation, as models keep nothing. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Sorted by name, so that a provider's cache keeps. */
  readonly tools: readonly ModelTool[];
  readonly sessionId: string;
  /** The provider's own choice without it. */
  readonly thinking?: ThinkingLevel;
  readonly signal: AbortSignal;
}

/** Why a step ended. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** One thing a model says. Deltas of one `block` belong together; without one, neighbours of a kind do. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string; readonly block?: string }
  | { readonly type: "reasoning"; readonly text: string; readonly block?: string }
  /** What the provider wants back with a block. */
  | { readonly type: "metadata"; readonly block: string; readonly metadata: ProviderMetadata }
  /** The name of a call whose arguments are still being written. */
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly metadata?: ProviderMetadata;
    }
  /** How many events of which unknown kinds were left out of the answer. */
  | { readonly type: "skipped"; readonly kinds: Readonly<Record<string, number>> }
  /** Proof of life that carries nothing. */
  | { readonly type: "ping" }
  /** Always the last one. A stream without it broke off. */
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/** A language model, or what stands in for one. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  /** What the user should know about how it was chosen, one line, for instance that no model is configured. */
  readonly notice?: string;
  /** Loads what a request needs, ahead of it. */
  prepare?(): Promise<void>;
  /**
   * Sends one request, once: retrying is the caller's.
   *
   * @throws ModelError for everything that can go wrong, also while the events are read; anything once the signal has come.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
