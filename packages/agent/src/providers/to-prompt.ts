import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import {
  type AssistantMessage,
  type AssistantPart,
  type Image,
  type Message,
  sentText,
  type ToolMessage,
  type UserMessage,
} from "../model/message.ts";
import type { ModelRequest } from "../model/model.ts";
import { wellFormed, wellFormedJson } from "./well-formed.ts";

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Converts a call's ID, which may come from another provider, to the provider's format. */
export type IdForm = (id: string) => string;

/** What differs between providers. */
export interface PromptForm {
  readonly toId?: IdForm | undefined;
  /** Whether a result may contain images. Otherwise a user message with them follows. */
  readonly takesImages?: boolean;
}

/** Marks what the provider should cache. Only Anthropic needs the mark. */
const cached: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Tells the model where its own response was cut off. */
const cutMark = "[The answer was interrupted here.]";

/**
 * Returns a function that converts conversations to the SDK's format. Messages do not change, so each is converted once, however
 * many requests it is part of. Constant parts come first and the ends of the last two turns are marked, so that a cache finds the
 * longest known prefix. Every string is well-formed Unicode.
 */
export function promptWriter({ toId = (id) => id, takesImages = false }: PromptForm = {}) {
  const known = new WeakMap<Message, LanguageModelV4Message>();
  const converted = (message: Message): LanguageModelV4Message => {
    const one = known.get(message) ?? wellFormed(toSdkMessage(message, toId, takesImages));
    known.set(message, one);
    return one;
  };
  return ({ system, messages }: Pick<ModelRequest, "system" | "messages">): LanguageModelV4Prompt => {
    const prompt: LanguageModelV4Prompt = [{ role: "system", content: system.toWellFormed(), providerOptions: cached }];
    const images: UserContent = [];
    for (const [index, message] of messages.entries()) {
      append(prompt, converted(message));
      if (message.role !== "tool" || takesImages) continue;
      images.push(...wellFormed(imagesOf(message)));
      if (images.length === 0 || messages[index + 1]?.role === "tool") continue;
      prompt.push({ role: "user", content: images.splice(0) });
    }
    const ends = prompt.filter(({ role }) => role === "user" || role === "tool").slice(-2);
    for (const message of ends) message.providerOptions = cached;
    return prompt;
  };
}

/** The images of a result, for a provider that takes none in a result. */
function imagesOf({ name, images }: ToolMessage): UserContent {
  if (!images) return [];
  const text = `${images.length === 1 ? "The image" : "The images"} of the result of ${name}:`;
  return [{ type: "text", text }, ...images.map(toFile)];
}

/** Adds a copy of a message, because the prompt is changed. Results in a row become one message. */
function append(prompt: LanguageModelV4Prompt, message: LanguageModelV4Message): void {
  const last = prompt.at(-1);
  if (message.role === "tool") {
    if (last?.role === "tool") last.content.push(...message.content);
    else prompt.push({ role: "tool", content: [...message.content] });
  } else if (message.role !== "assistant" || message.content.length > 0) prompt.push({ ...message });
}

function toSdkMessage(message: Message, toId: IdForm, takesImages: boolean): LanguageModelV4Message {
  if (message.role === "user") return { role: "user", content: toUserContent(message) };
  if (message.role === "assistant") return { role: "assistant", content: toContent(message, toId) };
  const result = {
    type: "tool-result" as const,
    toolCallId: toId(message.id),
    toolName: message.name,
    output: toOutput(message, takesImages),
  };
  return { role: "tool", content: [result] };
}

function toOutput({ json, images }: ToolMessage, takesImages: boolean): LanguageModelV4ToolResultOutput {
  const text = wellFormedJson(json);
  if (!images || !takesImages) return { type: "text", value: text };
  return { type: "content", value: [{ type: "text", text }, ...images.map(toFile)] };
}

function toFile({ mediaType, data }: Image) {
  return { type: "file" as const, mediaType, data: { type: "data" as const, data } };
}

function toUserContent({ images = [], ...message }: UserMessage): UserContent {
  const files = images.map(toFile);
  const text = sentText(message);
  return text === "" && files.length > 0 ? files : [{ type: "text", text }, ...files];
}

function toContent({ parts, interrupted }: AssistantMessage, toId: IdForm): AssistantContent {
  const content: AssistantContent = parts.filter(hasContent).map((part) => {
    const providerOptions = part.metadata && { providerOptions: part.metadata as SharedV4ProviderOptions };
    if (part.type !== "tool_call") return { type: part.type, text: part.text, ...providerOptions };
    const { id, name: toolName } = part;
    return { type: "tool-call", toolCallId: toId(id), toolName, input: toInput(part.arguments), ...providerOptions };
  });
  const isText = content.length > 0 && parts.every(({ type }) => type !== "tool_call");
  if (interrupted && isText) content.push({ type: "text", text: cutMark });
  return content;
}

/** Providers reject empty text. */
function hasContent(part: AssistantPart): boolean {
  return part.type === "tool_call" || part.metadata !== undefined || part.text.trim() !== "";
}

/**
 * Returns the model's own text if it is an object, byte for byte if the provider takes text and the text is well-formed;
 * else an object that quotes it.
 */
function toInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return wellFormedJson(text);
  } catch {
    // Quoted below.
  }
  return { invalid_arguments: text };
}
