// A conversation as the prompt of a provider's package, message by message, in text that every server accepts.

import { createHash } from "node:crypto";
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
  isDocument,
  type Message,
  type ModelRequest,
  sentText,
  type ToolMessage,
  type UserMessage,
  withLeftOutCounts,
} from "./model.ts";
import type { KnownServer } from "./server-profiles.ts";

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** What differs between models and their servers. */
interface PromptForm {
  /** `provider/model`. What belongs to a response, such as signatures, is sent only to the model that made it. */
  readonly model: string;
  readonly server: KnownServer;
  /** Whether a result may contain images and documents. Otherwise a user message with the images follows. */
  readonly takesFiles?: boolean;
}

/** What every provider accepts as a tool's name. A name that a model has made up is part of the conversation, too. */
const maxNameLength = 64;

/** Stands between a result and a user message. */
const endOfCalls = "I have read the results.";

/** Marks what the provider should cache. Only Anthropic needs the mark. */
const cached: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** Tells the model where its own response was cut off. */
const cutMark = "[The answer was interrupted here.]";

/**
 * Returns a function that converts conversations to the SDK's format. Messages do not change, so each is converted once, however
 * many requests it is part of. Constant parts come first and the ends of the last two turns are marked, so that a cache finds the
 * longest known prefix. Every string is well-formed Unicode.
 *
 * What servers reject is repaired: names and IDs of calls from other models, neighbours of one role, empty responses.
 */
export function promptWriter(form: PromptForm) {
  const { takesFiles = false } = form;
  let known = new WeakMap<Message, LanguageModelV4Message>();
  let { profile } = form.server;
  const converted = (message: Message, own: ReadonlySet<string>): LanguageModelV4Message => {
    const one = known.get(message) ?? wellFormed(toSdkMessage(message, form, own));
    known.set(message, one);
    return one;
  };
  return ({ system, messages }: Pick<ModelRequest, "system" | "messages">): LanguageModelV4Prompt => {
    const prompt: LanguageModelV4Prompt = [{ role: "system", content: system.toWellFormed(), providerOptions: cached }];
    const images: UserContent = [];
    if (profile !== form.server.profile) {
      // An error has taught what the server needs.
      ({ profile } = form.server);
      known = new WeakMap();
    }
    const { endsCalls } = profile;
    // The IDs of the last calls, if they are the model's own.
    let own: ReadonlySet<string> = new Set();
    for (const [index, message] of messages.entries()) {
      if (message.role === "assistant") own = ownIds(message, form);
      append(prompt, converted(message, own), endsCalls);
      if (message.role !== "tool" || takesFiles) continue;
      images.push(...wellFormed(imagesOf(message)));
      if (images.length === 0 || messages[index + 1]?.role === "tool") continue;
      append(prompt, { role: "user", content: images.splice(0) }, endsCalls);
    }
    let ends = 0;
    for (let index = prompt.length - 1; index > 0 && ends < 2; index--) {
      const message = prompt[index];
      if (message?.role !== "user" && message?.role !== "tool") continue;
      prompt[index] = { ...message, providerOptions: cached };
      ends++;
    }
    return prompt;
  };
}

function ownIds({ model, parts }: AssistantMessage, form: PromptForm): ReadonlySet<string> {
  if (form.model !== model || !form.server.profile.ids.isOwnKept) return new Set();
  return new Set(parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : [])));
}

/** The images of a result, for a provider that takes none in a result. */
function imagesOf({ name, images: files = [] }: ToolMessage): UserContent {
  const images = files.filter((file) => !isDocument(file));
  if (images.length === 0) return [];
  const text = `${images.length === 1 ? "The image" : "The images"} of the result of ${name}:`;
  return [{ type: "text", text }, ...images.map(toFile)];
}

/** Adds a message. Neighbours of one role become one, which is a copy: the messages serve the next request, too. */
function append(prompt: LanguageModelV4Prompt, message: LanguageModelV4Message, endsCalls: boolean): void {
  const last = prompt.at(-1);
  if (message.role === "assistant" && message.content.length === 0) return;
  const merged = last && mergedWith(last, message);
  if (merged) prompt[prompt.length - 1] = merged;
  else {
    if (last?.role === "tool" && message.role === "user" && endsCalls) {
      prompt.push({ role: "assistant", content: [{ type: "text", text: endOfCalls }] });
    }
    prompt.push(message);
  }
}

function mergedWith(last: LanguageModelV4Message, next: LanguageModelV4Message): LanguageModelV4Message | undefined {
  if (last.role === "tool" && next.role === "tool") return { ...last, content: [...last.content, ...next.content] };
  if (last.role === "user" && next.role === "user") {
    return { ...last, content: mergedTexts(last.content, next.content) };
  }
  if (last.role !== "assistant" || next.role !== "assistant") return undefined;
  return { ...last, content: [...last.content, ...next.content] };
}

/** Local servers accept a list of parts only with images. */
function mergedTexts(content: UserContent, more: UserContent): UserContent {
  const [first, ...others] = more;
  const last = content.at(-1);
  if (first?.type !== "text" || last?.type !== "text") return [...content, ...more];
  return [...content.slice(0, -1), { ...last, text: `${last.text}\n\n${first.text}` }, ...others];
}

function toSdkMessage(message: Message, form: PromptForm, own: ReadonlySet<string>): LanguageModelV4Message {
  if (message.role === "user") return { role: "user", content: toUserContent(message) };
  if (message.role === "assistant") return toAssistant(message, form, own);
  const result = {
    type: "tool-result" as const,
    toolCallId: toId(message.id, form, own),
    toolName: toName(message.name),
    output: toOutput(message, form.takesFiles ?? false),
  };
  return { role: "tool", content: [result] };
}

function toName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, maxNameLength) || "unknown";
}

function toId(id: string, { server }: PromptForm, own: ReadonlySet<string>): string {
  const { ids } = server.profile;
  if (own.has(id) || (ids.pattern.test(id) && id.length <= ids.maxLength)) return id;
  // Base64 without the characters that are not letters or digits; 32 bytes have more than enough others.
  const hash = createHash("sha256").update(id).digest("base64").replace(/\W/g, "");
  return hash.slice(0, Math.min(ids.maxLength, 24));
}

function toOutput({ json, images = [] }: ToolMessage, takesFiles: boolean): LanguageModelV4ToolResultOutput {
  // The answer has their text, too, if the tool could read it.
  if (!takesFiles) return { type: "text", value: wellFormedJson(withLeftOutCounts(json, images.filter(isDocument))) };
  const text = wellFormedJson(json);
  if (images.length === 0) return { type: "text", value: text };
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

function toAssistant(message: AssistantMessage, form: PromptForm, own: ReadonlySet<string>): LanguageModelV4Message {
  const { profile } = form.server;
  const isOwn = message.model === form.model;
  const parts = message.parts.flatMap((part) => {
    // Reasoning is its model's own, which expects to see only the answer after its tags.
    if (part.type === "reasoning" && (!isOwn || profile.reasoning === "rejected" || fieldOf(part) === "think"))
      return [];
    const sent = isOwn ? part : withoutMetadata(part);
    return hasContent(sent) ? [sent] : [];
  });
  // Servers reject a response without an answer, whatever the model thought.
  if (!parts.some((part) => part.type === "tool_call" || (part.type === "text" && part.text.trim() !== ""))) {
    return { role: "assistant", content: [] };
  }
  const inField = parts.filter((part) => fieldOf(part) === "reasoning");
  const content: AssistantContent = parts
    .filter((part) => !inField.includes(part))
    .map((part) => {
      const providerOptions = part.metadata && { providerOptions: part.metadata as SharedV4ProviderOptions };
      if (part.type !== "tool_call") return { type: part.type, text: part.text, ...providerOptions };
      const { id, name } = part;
      const call = { toolCallId: toId(id, form, own), toolName: toName(name), input: toInput(part.arguments) };
      return { type: "tool-call", ...call, ...providerOptions };
    });
  const isText = parts.every(({ type }) => type !== "tool_call");
  if (message.interrupted && isText) content.push({ type: "text", text: cutMark });
  const reasoning = inField.map((part) => ("text" in part ? part.text : "")).join("");
  const isMissing = profile.reasoning === "required" && !parts.some(({ type }) => type === "reasoning");
  const field = isMissing ? { [profile.reasoningField]: noReasoning } : reasoning !== "" && { reasoning };
  // The package for chat servers adds this to the message as it is.
  return { role: "assistant", content, ...(field && { providerOptions: { openaiCompatible: field } }) };
}

function withoutMetadata({ metadata: _, ...part }: AssistantPart): AssistantPart {
  return part;
}

/** What servers accept as the reasoning of a response that has none. They take an empty text for a missing one. */
const noReasoning = " ";

/** Where a chat server has sent reasoning if not in `reasoning_content`: in `reasoning`, or in the text, between `think` tags. */
function fieldOf(part: AssistantPart): unknown {
  return part.type === "reasoning" ? part.metadata?.openaiCompatible?.field : undefined;
}

/** Providers reject empty text, and an invalid signature. */
function hasContent(part: AssistantPart): boolean {
  if (part.type === "reasoning" && part.metadata?.anthropic?.signature === "") return false;
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

/**
 * Makes every string in a value well-formed Unicode: half a surrogate pair becomes U+FFFD. Returns well-formed values as
 * they are, without copying.
 */
export function wellFormed<Value>(value: Value): Value {
  return toWellFormed(value) as Value;
}

const known = new WeakMap<object, unknown>();

/** Like `wellFormed`, for an object that never changes: looks at it once. */
export function wellFormedOnce<Value extends object>(value: Value): Value {
  if (!known.has(value)) known.set(value, toWellFormed(value));
  return known.get(value) as Value;
}

function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return replaceChanged(value, value.map(toWellFormed));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value);
  const fixed = entries.map(([key, one]) => [key.toWellFormed(), toWellFormed(one)] as const);
  const isSame = fixed.every(([key, one], index) => key === entries[index]?.[0] && one === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(fixed);
}

function replaceChanged(old: readonly unknown[], fixed: readonly unknown[]): unknown {
  return fixed.every((one, index) => one === old[index]) ? old : fixed;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An escape in JSON: a pair of surrogates, one half of a pair, or anything else. */
const escapePattern = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g;

const halfPattern = /\\u[dD][89a-fA-F]/;

const pairLength = "\\ud83d\\ude00".length;

/** Makes every string in a JSON text well-formed, escaped or not; returns a well-formed text unchanged. */
export function wellFormedJson(json: string): string {
  const text = json.toWellFormed();
  if (!halfPattern.test(text)) return text;
  return text.replace(escapePattern, (found) =>
    found.length < pairLength && halfPattern.test(found) ? "\\ufffd" : found,
  );
}
