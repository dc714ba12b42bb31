// Requests beside the conversation: a summary of it, and the user's side questions. They leave its messages as they are; their cost counts.

import {
  addUsage,
  type FinishReason,
  type Message,
  type Model,
  ModelError,
  type ModelTool,
  type ThinkingLevel,
  type ToolCallPart,
  type Usage,
} from "@ikigai/models";
import type { Conversation } from "../conversation.ts";

/** The parts of a request besides the messages. */
export interface RequestParts {
  readonly system: string;
  readonly tools: readonly ModelTool[];
}

/** What such a request has besides the messages. */
export interface AsideOptions extends RequestParts {
  readonly model: Model;
  readonly signal: AbortSignal;
  /** As in the turns: providers cache a conversation for each level. */
  readonly thinking?: ThinkingLevel | undefined;
  /** Called with the usage of the request. */
  readonly onUsage?: (usage: Usage) => void;
}

/** What the model answered: its text, calls left out. */
interface AsideAnswer {
  readonly text: string;
  readonly reason: FinishReason;
}

/** Sends a request that is no step of the conversation. @throws ModelError if the model fails, anything after an abort. */
export async function requestAside(
  conversation: Conversation,
  messages: readonly Message[],
  { model, system, tools, signal, thinking, onUsage }: AsideOptions,
): Promise<AsideAnswer> {
  const { id: sessionId, log } = conversation;
  let text = "";
  let reason: FinishReason = "other";
  const request = { system, messages, tools, sessionId, signal, ...(thinking && { thinking }) };
  for await (const event of model.stream(request)) {
    if (event.type === "text") text += event.text;
    if (event.type !== "finish") continue;
    reason = event.reason;
    log.append({ type: "spent", model: model.id, usage: event.usage });
    conversation.usage = addUsage(conversation.usage, event.usage);
    onUsage?.(event.usage);
  }
  return { text: text.trim(), reason };
}

/** Answers a side question from the conversation, also while a turn runs. @throws as `requestAside` does. */
export async function askAside(conversation: Conversation, question: string, options: AsideOptions): Promise<string> {
  const { messages } = conversation;
  const asked = { role: "user", text: `${asideText}\n\n${question}` } as const;
  const { text, reason } = await requestAside(conversation, [...messages, ...stillRunning(messages), asked], options);
  if (text === "") throw new ModelError("bad_stream", "The model gave no answer.", { retryable: true });
  return reason === "length" ? `${text}\n\n[The answer was cut off here.]` : text;
}

/** Providers require a result of each call. */
function stillRunning(messages: readonly Message[]): Message[] {
  const last = messages.findLast(({ role }) => role === "assistant");
  const calls =
    last?.role === "assistant" ? last.parts.filter((part): part is ToolCallPart => part.type === "tool_call") : [];
  const ended = new Set(messages.flatMap((message) => (message.role === "tool" ? message.id : [])));
  return calls
    .filter(({ id }) => !ended.has(id))
    .map(({ id, name }) => ({
      role: "tool",
      id,
      name,
      json: '{"tool_success":false,"error":"This call is still running."}',
    }));
}

const asideText = `A side question of the user about this conversation. Answer it from what you know by now, briefly, in this one message. Do not call tools: calls are not run. The question and your answer do not become part of the conversation, and the work continues without them.`;
