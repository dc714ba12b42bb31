import type { JsonObject } from "@ikigai/protocol";

/** What a provider wants back with a part of its answer (signatures, item ids), keyed by the provider's name. */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  /** Unique in its conversation. */
  readonly id: string;
  readonly name: string;
  /** The model's own text, which need not be JSON. */
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export interface UserMessage {
  readonly role: "user";
  readonly text: string;
}

/** What the model said in one step. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly AssistantPart[];
  /** `provider/model`, as metadata is worth nothing to another one. */
  readonly model: string;
  /** The answer was cut off, by the user or by a failure. */
  readonly interrupted?: true;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly id: string;
  readonly name: string;
  /** The envelope's exact text: a tool's own bytes are never parsed and printed again. */
  readonly json: string;
}

/** A conversation is a list of these: a call of an assistant message has exactly one tool message, before the next step. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
