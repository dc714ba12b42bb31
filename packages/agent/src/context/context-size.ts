import type { Message } from "../model/message.ts";
import type { ModelTool } from "../model/model.ts";
import type { Conversation } from "../session/conversation.ts";
import { estimateMessage, estimatePrompt, estimateTool } from "./estimate-tokens.ts";

/** What is sent with a conversation's messages. */
export interface ContextFrame {
  readonly system: string;
  readonly tools: readonly ModelTool[];
}

/**
 * How many tokens the next request has: what the provider counted the last time, and an estimate of what has come since.
 * Without such a count all of it is an estimate.
 */
export function contextSize({ messages, measured }: Conversation, frame: ContextFrame): number {
  if (measured) return measured.tokens + sum(messages.slice(measured.messages).map(estimateMessage));
  return estimateContext(messages, frame);
}

/** About how many tokens a whole request has. */
export function estimateContext(messages: readonly Message[], { system, tools }: ContextFrame): number {
  return estimatePrompt(system) + sum(tools.map(estimateTool)) + sum(messages.map(estimateMessage));
}

/** What fills a context, in tokens. The parts are shares of `total`. */
export interface ContextUse {
  readonly total: number;
  readonly system: number;
  /** Each tool's schema. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  readonly user: number;
  readonly assistant: number;
  /** What tools answered, by the tool's name; the largest first. */
  readonly results: readonly { readonly name: string; readonly tokens: number }[];
}

/** Says what fills a context. The total is the provider's count where there is one, and the parts are in proportion to it. */
export function contextUse(conversation: Conversation, frame: ContextFrame): ContextUse {
  const total = contextSize(conversation, frame);
  const { messages } = conversation;
  const estimated = estimateContext(messages, frame);
  const share = (tokens: number) => Math.round((tokens * total) / Math.max(1, estimated));
  const of = (role: "user" | "assistant") =>
    share(sum(messages.filter((message) => message.role === role).map(estimateMessage)));
  const byTool = new Map<string, number>();
  for (const message of messages) {
    if (message.role !== "tool") continue;
    byTool.set(message.name, (byTool.get(message.name) ?? 0) + estimateMessage(message));
  }
  return {
    total,
    system: share(estimatePrompt(frame.system)),
    tools: frame.tools.map((tool) => ({ name: tool.name, tokens: share(estimateTool(tool)) })),
    user: of("user"),
    assistant: of("assistant"),
    results: [...byTool].map(([name, tokens]) => ({ name, tokens: share(tokens) })).sort((a, b) => b.tokens - a.tokens),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
