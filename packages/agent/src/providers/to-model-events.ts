import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ProviderMetadata } from "../model/message.ts";
import type { FinishReason, ModelEvent } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import type { Usage } from "../model/usage.ts";
import { brokenOff } from "./broken-off.ts";

/** The incomplete calls with the arguments received so far, by ID. */
type OpenCalls = Map<string, { name: string; arguments: string }>;

/**
 * Converts the SDK's stream to model events.
 *
 * @throws ModelError `bad_stream` if the stream ends without a proper finish; any error that the SDK reports.
 */
export async function* toModelEvents(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<ModelEvent> {
  const open: OpenCalls = new Map();
  for await (const part of parts) {
    if (part.type === "error") throw part.error;
    if (part.type === "finish") {
      const reason = toReason(part.finishReason);
      // A truncated call is still a call: its result says what was wrong.
      for (const [id, call] of open) yield { type: "tool_call", id, ...call };
      // An incomplete call means an incomplete response, whatever the server reports.
      const isWhole = open.size === 0 || (reason !== "stop" && reason !== "tool_calls");
      yield { type: "finish", reason: isWhole ? reason : "other", usage: toUsage(part.usage) };
      return;
    }
    yield* toEvents(part, open);
  }
  throw brokenOff();
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
