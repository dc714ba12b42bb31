import type { JsonObject } from "@ikigai/protocol";

/** What a provider wants back with a part of its answer (signatures, item ids), keyed by the provider's name. */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

/** A part of an answer. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** What the model thought before it answered. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** A call that the model asks for. */
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

/** An image in what the user says. */
export interface Image {
  /** For instance `image/png`. */
  readonly mediaType: string;
  /** The bytes, as base64. */
  readonly data: string;
}

/** What the user said. */
export interface UserMessage {
  readonly role: "user";
  readonly text: string;
  readonly images?: readonly Image[];
  /** The shell command that the user ran, when the text tells of that. */
  readonly command?: string;
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

/** What came of a call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly id: string;
  readonly name: string;
  /** The envelope's exact text: a tool's own bytes are never parsed and printed again. */
  readonly json: string;
  /** The envelope gave way to a note about it, to make room. */
  readonly shortened?: true;
}

/** A conversation is a list of these: a call of an assistant message has exactly one tool message, before the next step. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export function userMessage(text: string, images: readonly Image[] = []): UserMessage {
  return { role: "user", text, ...(images.length > 0 && { images }) };
}

/** Leaves a note where an image was; says whether there was one. */
export function dropImages(messages: Message[]): boolean {
  let isChanged = false;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "user" || !message.images) continue;
    const note = `[${message.images.length === 1 ? "An image was" : `${message.images.length} images were`} left out.]`;
    messages[index] = { role: "user", text: `${message.text}\n${note}`.trim() };
    isChanged = true;
  }
  return isChanged;
}
