// The stream of a provider's package as events of a model: blocks, calls, reasoning in tags, the reason for the end, and usage.

import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { ModelError } from "./errors.ts";
import type { ChatFacts } from "./event-stream.ts";
import type { FinishReason, ModelEvent, ProviderMetadata, Usage } from "./model.ts";
import { brokenOff } from "./server-errors.ts";

/** The incomplete calls with the arguments received so far, by ID. */
type OpenCalls = Map<string, { name: string; arguments: string }>;

/** Maximum length of a response, in characters: text, reasoning and arguments. No model writes as much; one in a loop does. */
export const maxAnswerLength = 16 * 1_048_576;

/**
 * Converts the SDK's stream to model events.
 *
 * @throws ModelError `bad_stream` if the stream ends without a proper finish or is too long; any error that the SDK reports.
 */
export async function* toModelEvents(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<ModelEvent> {
  const open: OpenCalls = new Map();
  const repeated = repeatedCalls();
  let length = 0;
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    length += lengthOf(part);
    if (length > maxAnswerLength) throw tooLong();
    if (part.type === "finish") {
      const { ikigai: facts } = (part.providerMetadata ?? {}) as { readonly ikigai?: ChatFacts };
      if (facts?.hasReasoningField) yield { type: "metadata", block: chatReasoning, metadata: inReasoningField };
      // A repeated ID has a new name here, which the server has not sent.
      for (const call of repeated.held) {
        if (!facts?.repeatsIds || !repeated.twins.has(call) || facts.ids?.includes(call.id)) yield call;
      }
      const reason = toReason(part.finishReason);
      // A truncated call is still a call: its result says what was wrong.
      for (const [id, call] of open) yield { type: "tool_call", id, ...call };
      // An incomplete call means an incomplete response, whatever the server reports.
      const isWhole = open.size === 0 || (reason !== "stop" && reason !== "tool_calls");
      yield { type: "finish", reason: isWhole ? reason : "other", usage: toUsage(part.usage) };
      return;
    }
    for (const event of toEvents(part, open)) if (repeated.isNew(event)) yield event;
  }
  throw brokenOff();
}

function lengthOf(part: LanguageModelV4StreamPart): number {
  return "delta" in part ? part.delta.length : 0;
}

function tooLong(): ModelError {
  const text = `The response is longer than ${maxAnswerLength / 1_048_576} MiB. The model may be repeating itself.`;
  return new ModelError("bad_stream", text);
}

/** The block in which the package for chat servers has reasoning. */
const chatReasoning = "reasoning reasoning-0";

/** Marks reasoning that came in the field `reasoning`, to be sent back there. */
const inReasoningField = { openaiCompatible: { field: "reasoning" } };

/** Finds calls that a server has sent twice: gateways do, and the second would run, too. */
function repeatedCalls() {
  const calls: Extract<ModelEvent, { type: "tool_call" }>[] = [];
  const held: typeof calls = [];
  const twins = new Set<ModelEvent>();
  return {
    /** Calls that are equal to an earlier one, and the calls after them. The package for chat servers gives a repeated ID a new name, so that they are known only at the end. */
    held,
    /** Those that are equal to an earlier one. */
    twins,
    isNew(event: ModelEvent): boolean {
      if (event.type === "tool_call_start") return calls.every(({ id }) => id !== event.id);
      if (event.type !== "tool_call") return true;
      const twin = calls.find(({ name, arguments: args }) => name === event.name && args === event.arguments);
      if (twin?.id === event.id && event.id !== "") return false;
      if (twin) twins.add(event);
      if (twin || held.length > 0) held.push(event);
      else calls.push(event);
      return held.length === 0;
    },
  };
}

const openTag = "<think>";
const closeTag = "</think>";

/** Turns what a model writes between `think` tags before its answer into reasoning, for servers that do not. */
export async function* withoutTags(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  let state: "before" | "inside" | "end" | "after" = "before";
  let rest = "";
  for await (const event of events) {
    if (event.type === "ping" || state === "after") yield event;
    else if (event.type !== "text") {
      // The text is complete: what looked like the beginning of a tag is text.
      if (rest !== "") yield state === "inside" ? tagged(rest) : { type: "text", text: rest };
      rest = "";
      yield event;
    } else {
      rest += event.text;
      if (state === "before" && isTagStart(rest)) continue;
      if (state === "before" && rest.trimStart().startsWith(openTag)) {
        state = "inside";
        rest = rest.trimStart().slice(openTag.length);
        yield tagged("");
        yield { type: "metadata", block: thinkBlock, metadata: { openaiCompatible: { field: "think" } } };
      }
      if (state === "inside") {
        const end = rest.indexOf(closeTag);
        // The end of the tag may be in the next piece.
        const length = end < 0 ? Math.max(0, rest.length - closeTag.length) : end;
        if (length > 0) yield tagged(rest.slice(0, length));
        rest = rest.slice(end < 0 ? length : end + closeTag.length);
        if (end < 0) continue;
        state = "end";
      }
      // Models write blank lines between the tag and the answer.
      if (state === "end") rest = rest.trimStart();
      if (rest === "") continue;
      state = "after";
      yield { ...event, text: rest };
      rest = "";
    }
  }
}

const thinkBlock = "think";

function tagged(text: string): ModelEvent {
  return { type: "reasoning", text, block: thinkBlock };
}

/** Whether a text can become one that begins with the tag. */
function isTagStart(text: string): boolean {
  const start = text.trimStart();
  return start.length < openTag.length && openTag.startsWith(start);
}

function* toEvents(part: LanguageModelV4StreamPart, open: OpenCalls): Generator<ModelEvent> {
  switch (part.type) {
    case "text-start":
    case "text-delta":
    case "text-end": {
      const block = `text ${part.id}`;
      yield { type: "text", text: part.type === "text-delta" ? part.delta : "", block };
      if (part.providerMetadata) yield { type: "metadata", block, metadata: metadataOf(part.providerMetadata) };
      return;
    }
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end": {
      const block = `reasoning ${part.id}`;
      yield { type: "reasoning", text: part.type === "reasoning-delta" ? part.delta : "", block };
      if (part.providerMetadata) yield { type: "metadata", block, metadata: metadataOf(part.providerMetadata) };
      return;
    }
    case "tool-input-start":
      open.set(part.id, { name: part.toolName, arguments: "" });
      yield { type: "tool_call_start", id: part.id, name: part.toolName };
      return;
    case "tool-input-delta": {
      const call = open.get(part.id);
      if (call) call.arguments += part.delta;
      return;
    }
    case "tool-call": {
      open.delete(part.toolCallId);
      const metadata = part.providerMetadata && { metadata: metadataOf(part.providerMetadata) };
      yield { type: "tool_call", id: part.toolCallId, name: part.toolName, arguments: part.input, ...metadata };
      return;
    }
    default:
      // Sources, files, warnings and the like, which ikigai does not request.
      yield { type: "ping" };
  }
}

/** Servers' finish reasons for a response that ends with calls. OpenAI's Responses API sends none. */
const callReasons = new Set([undefined, "tool_calls", "function_call", "tool_use", "STOP", "FUNCTION_CALL"]);

/** Finish reasons of compatible servers (TGI, Together, gateways) for a regular end. */
const stopReasons = new Set(["eos", "eos_token", "stop_sequence", "end_turn"]);

function toReason({ unified, raw }: LanguageModelV4FinishReason): FinishReason {
  if (raw === "model_context_window_exceeded") {
    throw new ModelError("context_too_long", "The conversation has reached the end of the model's context window.");
  }
  switch (unified) {
    case "stop":
      // Anthropic's server tools can pause a response. ikigai uses none, so it cannot request the rest.
      return raw === "pause_turn" ? "other" : "stop";
    case "length":
      return "length";
    case "tool-calls":
      // OpenAI's package reports this for any incomplete response with a call, whatever the reason.
      return callReasons.has(raw) ? "tool_calls" : "other";
    case "content-filter":
      return "content_filter";
    case "interrupted":
      throw brokenOff();
    case "error":
      throw new ModelError("bad_stream", `The model failed in the middle of its response${raw ? ` (${raw})` : ""}.`, {
        retryable: true,
      });
    case "other":
      if (raw === undefined) throw brokenOff();
      // A proxy's empty reason, at the proper end of a stream.
      if (raw === "") return "stop";
      if (callReasons.has(raw)) return "tool_calls";
      if (stopReasons.has(raw)) return "stop";
      return "other";
    default:
      unified satisfies never;
      return "other";
  }
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
  };
}

/** The SDK's type allows `undefined` inside; JSON does not. */
function metadataOf(metadata: object): ProviderMetadata {
  return metadata as ProviderMetadata;
}
