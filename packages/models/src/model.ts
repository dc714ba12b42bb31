/*
 * A model as the rest of ikigai knows it: the request it gets, the events of its response, the tokens that it used, and the type of the
 * AI SDK's models.
 */
import type { JsonObject } from "@ikigai/protocol";
import type { Message, ProviderMetadata } from "./message.ts";

/** A tool as shown to the model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly parameters: JsonObject;
}

/** How much a model reasons before it responds, if that can be set. */
export const thinkingLevels = ["none", "low", "medium", "high", "max"] as const;

/** How much a model reasons before it responds. */
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** A model as it was used for a request. */
export interface ModelUse {
  /** `provider/model`. */
  readonly model: string;
  /** The provider's default if absent. */
  readonly thinking?: ThinkingLevel;
}

/** One request. It contains the whole conversation, because models are stateless. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** In the order in which the conversation has first sent them, to keep the provider's cache valid. */
  readonly tools: readonly ModelTool[];
  readonly sessionId: string;
  /** The provider's default if absent. */
  readonly thinking?: ThinkingLevel;
  readonly signal: AbortSignal;
}

/** Why a step ended. */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

const known: readonly string[] = ["stop", "tool_calls", "length", "content_filter"] satisfies FinishReason[];

/** Reads a finish reason of a session file, which may contain anything. */
export function readFinishReason(text: string): FinishReason {
  return known.includes(text) ? (text as FinishReason) : "other";
}

/**
 * One piece of a response. Deltas with the same `block` belong together; without a block, adjacent ones of the same type do.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string; readonly block?: string }
  | { readonly type: "reasoning"; readonly text: string; readonly block?: string }
  /** Data that the provider expects back with a block. */
  | { readonly type: "metadata"; readonly block: string; readonly metadata: ProviderMetadata }
  /** The name of a call whose arguments are not complete yet. */
  | { readonly type: "tool_call_start"; readonly id: string; readonly name: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly metadata?: ProviderMetadata;
    }
  /** How many events of which unknown kinds were skipped in the response. */
  | { readonly type: "skipped"; readonly kinds: Readonly<Record<string, number>> }
  /** A sign of life without data. */
  | { readonly type: "ping" }
  /** Always the last event. A stream without it broke off. */
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/** A language model, or a replacement for one. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  /** What the user should know about the choice, one line; for instance that no model is configured. */
  readonly notice?: string;
  /** Set for an interpreter of commands, which is no language model: it cannot correct its answers. */
  readonly isInterpreter?: true;
  /** Loads in advance what a request needs. */
  prepare?(): Promise<void>;
  /**
   * Sends one request, once; the caller retries.
   *
   * @throws ModelError for every failure, also while the events are read; anything after an abort.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** The usage of a request, in tokens; 0 if the provider does not report it. */
export interface Usage {
  /** All tokens sent, including the cached ones. */
  readonly inputTokens: number;
  /** All tokens received, including reasoning. */
  readonly outputTokens: number;
  /** Tokens sent that the provider read from its cache. */
  readonly cacheReadTokens: number;
  /** Tokens sent that the provider wrote to its cache. */
  readonly cacheWriteTokens: number;
}

/** Zero usage. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Returns the sum of both. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/**
 * Returns how much of a budget in tokens was used. Tokens read from the cache count a tenth, which is about what they cost.
 */
export function budgetTokens({ inputTokens, outputTokens, cacheReadTokens }: Usage): number {
  const cached = Math.min(Math.max(cacheReadTokens, 0), inputTokens);
  return inputTokens - cached + Math.ceil(cached / 10) + outputTokens;
}

/**
 * Returns the size of a conversation as counted by the provider with the last response; `undefined` if it does not count.
 */
export function measureOf({ inputTokens, outputTokens }: Usage, messages: number): Measure | undefined {
  return inputTokens > 0 ? { tokens: inputTokens + outputTokens, messages } : undefined;
}

export interface Measure {
  readonly tokens: number;
  /** The number of messages counted. */
  readonly messages: number;
}

/** A language model of the AI SDK 7 (specification v4), for instance `createAnthropic()("claude-opus-4-5")`. */
export interface LanguageModel {
  /** The version of the AI SDK's specification that it implements. */
  readonly specificationVersion: "v4";
  /** The provider's name, for instance `anthropic.messages`. */
  readonly provider: string;
  /** The model's name at the provider. */
  readonly modelId: string;
  /** Starts a request and streams its answer. */
  doStream(options: object): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}
