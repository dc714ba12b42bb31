import type { Message, ModelTool } from "@ikigai/models";
import type { Conversation } from "../session/conversation.ts";
import { estimateMessage, estimatePrompt, estimateTool } from "./estimate-tokens.ts";

/** The parts of a request besides the messages. */
export interface ContextFrame {
  readonly system: string;
  readonly tools: readonly ModelTool[];
}

/**
 * Returns the size of the next request in tokens: the provider's last count plus an estimate of the messages since.
 * Without such a count, all of it is an estimate.
 */
export function contextSize({ messages, measured }: Conversation, frame: ContextFrame): number {
  if (measured) return measured.tokens + sum(messages.slice(measured.messages).map(estimateMessage));
  return estimateContext(messages, frame);
}

/** Estimates the size of a whole request in tokens. */
export function estimateContext(messages: readonly Message[], { system, tools }: ContextFrame): number {
  return estimatePrompt(system) + sum(tools.map(estimateTool)) + sum(messages.map(estimateMessage));
}

/** What fills the context, in tokens. The parts add up to `total`. */
export interface ContextUse {
  readonly total: number;
  readonly system: number;
  /** The schema of each tool. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  readonly user: number;
  readonly assistant: number;
  /** Tool results, by tool name; the largest first. */
  readonly results: readonly { readonly name: string; readonly tokens: number }[];
}

/** Returns what fills the context. The total is the provider's count if there is one; the parts are scaled to it. */
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
