// A model as the rest of ikigai sees it: the request it gets, the events of its response, the tokens it uses, and the type of the AI
// SDK's models. Then the messages of a conversation.

import type { ChartVisual, DiffVisual, ImageVisual, JsonObject, RefusedVisual, TableVisual } from "@ikigai/protocol";

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

/*
 * A conversation as a list of messages, whoever serves the model: what each role may hold, how a message is made, what is drawn for the
 * user beside a result, and what can be left out when a server does not take it.
 */

/** Data that a provider expects back with a part of its response (signatures, item IDs), by provider name. */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

/** Text in a response. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** The model's reasoning before its response. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly metadata?: ProviderMetadata;
}

/** A tool call by the model. */
export interface ToolCallPart {
  readonly type: "tool_call";
  /** Unique in the conversation. */
  readonly id: string;
  readonly name: string;
  /** The model's own text, which may not be JSON. */
  readonly arguments: string;
  readonly metadata?: ProviderMetadata;
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/** An image in a user message or a result, or a document in a result. */
export interface Image {
  /** For instance `image/png`; of a document, `application/pdf`. */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** A call by the user, not the model. */
export interface TypedCall {
  readonly name: string;
  readonly arguments: string;
}

/** A message by the user. */
export interface UserMessage {
  readonly role: "user";
  readonly text: string;
  readonly images?: readonly Image[];
  /** What hooks added to the text. */
  readonly context?: string;
  /** The parts of the system prompt that have changed since the model was last told, by what they are about; empty if gone. */
  readonly changed?: Readonly<Record<string, string>>;
  /** The call that the user made, if the text reports one. */
  readonly typed?: TypedCall;
  /** How that call ended, for the screen. */
  readonly ended?: Pick<ToolMessage, "json" | "durationMs">;
}

/** What the model produced in one step. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly AssistantPart[];
  /** `provider/model`: metadata is useless to other models. */
  readonly model: string;
  /** The response was cut off, by the user or by a failure. */
  readonly interrupted?: true;
}

/** The result of a call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly id: string;
  readonly name: string;
  /** The envelope's exact text: a tool's bytes are never parsed and printed again. */
  readonly json: string;
  /** How long the call took, for the screen; absent for one that was not made. */
  readonly durationMs?: number;
  /** In a conversation read from its log: what the tool got, if that is not what the model wrote. For the screen. */
  readonly ran?: string;
  /** The images and documents that the answer names. */
  readonly images?: readonly Image[];
  /** What was drawn for the user, without the content of images. That of a log may be anything until `readKept` has read it. */
  readonly visuals?: readonly ShownVisual[];
  /** The envelope was replaced with a note to make room. */
  readonly shortened?: true;
}

/**
 * A conversation is a list of messages. Each call of an assistant message has exactly one tool message before the next step.
 */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What the model gets with a user's text. */
export type MessageExtras = { readonly [Name in "context" | "changed"]?: UserMessage[Name] | undefined };

export function userMessage(
  text: string,
  images: readonly Image[] = [],
  { context, changed }: MessageExtras = {},
): UserMessage {
  return {
    role: "user",
    text,
    ...(images.length > 0 && { images }),
    ...(context !== undefined && { context }),
    ...(changed !== undefined && { changed }),
  };
}

/** The whole text of a user message, as the model gets it. */
export function sentText({ text, context, changed }: Pick<UserMessage, "text" | "context" | "changed">): string {
  const parts = [text, context, changed && changedText(changed)].filter((part) => part !== undefined);
  return parts.length === 1 ? text : parts.join("\n\n").trim();
}

function changedText(changed: Readonly<Record<string, string>>): string {
  const parts = Object.entries(changed).map(([name, text]) => (text === "" ? `${name}: no longer applies.` : text));
  return ["[ikigai: Your instructions have changed. What follows replaces what they said before.]", ...parts].join(
    "\n\n",
  );
}

export function toolMessage(
  { durationMs = 0, ...result }: Pick<ToolMessage, "id" | "name" | "json" | "durationMs" | "ran">,
  images: readonly Image[] = [],
  visuals: readonly ShownVisual[] = [],
): ToolMessage {
  return {
    role: "tool",
    ...result,
    ...(durationMs > 0 && { durationMs }),
    ...(images.length > 0 && { images }),
    ...(visuals.length > 0 && { visuals }),
  };
}

/** Whether it is a document, not an image. */
export function isDocument({ mediaType }: Pick<Image, "mediaType">): boolean {
  return mediaType === "application/pdf";
}

/** Replaces images and documents with a note; returns whether there were any. */
export function dropImages(messages: Message[]): boolean {
  let isChanged = false;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" || !message.images) continue;
    const { images, ...others } = message;
    messages[index] = withLeftOut(others, images);
    isChanged = true;
  }
  return isChanged;
}

/** Removes reasoning, and the signatures and IDs that belong to it; returns whether there were any. */
export function dropReasoning(messages: Message[]): boolean {
  let isChanged = false;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    if (message.parts.every(({ type, metadata }) => type !== "reasoning" && !metadata)) continue;
    const parts = message.parts.flatMap(({ metadata, ...part }) => (part.type === "reasoning" ? [] : [part]));
    messages[index] = { ...message, parts };
    isChanged = true;
  }
  return isChanged;
}

/** Adds a note about images and documents that the model does not get. */
export function withLeftOut<Kind extends UserMessage | ToolMessage>(
  message: Kind,
  leftOut: readonly Pick<Image, "mediaType">[],
): Kind {
  if (leftOut.length === 0) return message;
  if (message.role === "tool") return { ...message, json: withLeftOutCounts(message.json, leftOut) };
  const note = `[${leftOut.length === 1 ? "An image was" : `${leftOut.length} images were`} left out.]`;
  return { ...message, text: `${message.text}\n${note}`.trim() };
}

/** The end of an envelope, which may have notes. */
const leftOutEnd = /(?:,"images_left_out":(\d+))?(?:,"documents_left_out":(\d+))?\}\s*$/;

/** An envelope that says how many images and documents the model does not get, too. */
export function withLeftOutCounts(json: string, leftOut: readonly Pick<Image, "mediaType">[]): string {
  const documents = leftOut.filter(isDocument).length;
  return json.replace(leftOutEnd, (_, imagesBefore = "0", documentsBefore = "0") => {
    const note = (name: string, count: number) => (count === 0 ? "" : `,"${name}_left_out":${count}`);
    const images = Number(imagesBefore) + leftOut.length - documents;
    return `${note("images", images)}${note("documents", Number(documentsBefore) + documents)}}`;
  });
}

/** An image that can be drawn. */
export interface ShownImage extends ImageVisual {
  /** For instance `image/png`. */
  readonly mediaType: string;
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
  /** The hash of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** The file; absent if it could not be read again, or has changed since. */
  readonly bytes?: Buffer;
}

/** Something that is drawn for the user, or what replaces it. */
export type ShownVisual = TableVisual | DiffVisual | ChartVisual | ShownImage | RefusedVisual;

/** A visual as the log has it: of an image only the path and the SHA-256. */
export function toKept(visual: ShownVisual): ShownVisual {
  if (visual.type !== "image") return visual;
  const { bytes, ...kept } = visual;
  return kept;
}
