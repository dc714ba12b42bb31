import type { Model, ModelTool } from "@ikigai/models";
import { addUsage, dropImages, dropReasoning, isTooMuch, type Message, ModelError, type Usage } from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { compactMessages } from "../session/compact-messages.ts";
import type { Conversation } from "../session/conversation.ts";
import { estimateContext } from "./context-size.ts";
import { areShort } from "./estimate-tokens.ts";

export interface SummariseOptions {
  readonly model: Model;
  readonly system: string;
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** How many messages are replaced, from the first one. */
  readonly before: number;
  /** What the user wants to keep most. */
  readonly focus?: string;
  /** Whether the turn is still running: the summary must then include the user's last request. */
  readonly isTurnOpen: boolean;
  /** Called with the usage of each request. */
  readonly onUsage?: (usage: Usage) => void;
}

/**
 * Summarizes a whole conversation at the user's request.
 *
 * @throws ModelError if the model fails, anything after an abort; the conversation is then unchanged.
 */
export function compactConversation(
  conversation: Conversation,
  options: Omit<SummariseOptions, "before" | "isTurnOpen">,
): Promise<void> {
  return summarise(conversation, { ...options, before: conversation.messages.length, isTurnOpen: false });
}

/** How often the oldest half is dropped if even the summary request is too long. */
const maxHalvings = 4;

/** A rejected request of more characters may be too long, whatever the server says. */
const longLength = 50_000;

/** User requests up to this length are quoted in full, in characters. */
const maxQuotedLength = 8_000;

/**
 * Replaces the beginning of a conversation with a summary by the model; the log keeps everything.
 *
 * @throws ModelError if the model fails; the conversation is then unchanged.
 */
export async function summarise(conversation: Conversation, options: SummariseOptions): Promise<void> {
  const { messages, log } = conversation;
  const { before, isTurnOpen } = options;
  const summary = await askForSummary(conversation, options);
  const lastUser = messages.findLast((message) => message.role === "user");
  const isLastUserCut = isTurnOpen && lastUser !== undefined && messages.indexOf(lastUser) < before;
  const quoted = isLastUserCut ? textStart(lastUser.text, maxQuotedLength) : "";
  const text = [
    "[The beginning of this conversation was replaced by this summary to make room.]",
    summary,
    ...(quoted === "" ? [] : ["The user's last message, which you are working on:", quoted]),
  ].join("\n\n");
  log.append({ type: "summary", before, text });
  // The cache is lost anyway: the next turn begins a new prompt, with what has changed.
  conversation.prompt = undefined;
  conversation.toolOrder = undefined;
  messages.splice(0, before, { role: "user", text });
  // An estimate of the whole request, like the providers' counts, so that callers need not add the tools.
  conversation.measured = { tokens: estimateContext(messages, options), messages: messages.length };
}

async function askForSummary(conversation: Conversation, options: SummariseOptions): Promise<string> {
  let messages = conversation.messages.slice(0, options.before);
  let halvings = 0;
  let isWhole = true;
  for (;;) {
    try {
      return await ask(conversation, messages, options);
    } catch (error) {
      if (!(error instanceof ModelError) || !(isTooMuch(error) || error.mayRejectContent)) throw error;
      // First without what a summary needs least and a server may not accept.
      if (isWhole) {
        isWhole = false;
        if (withoutExtras(messages)) continue;
      }
      const isTooLong = isTooMuch(error) || !areShort(messages, longLength);
      const half = startOfStep(messages, Math.ceil(messages.length / 2));
      if (!isTooLong || halvings++ === maxHalvings || half >= messages.length) throw error;
      messages = messages.slice(half);
    }
  }
}

/** Removes images and reasoning, and shortens results; returns whether there was anything. */
function withoutExtras(messages: Message[]): boolean {
  const { saved } = compactMessages(messages, messages.length);
  const reasoned = messages.some(
    (one) => one.role === "assistant" && one.parts.some(({ type }) => type === "reasoning"),
  );
  return [dropImages(messages), dropReasoning(messages) && reasoned, saved > 0].includes(true);
}

function startOfStep(messages: readonly Message[], from: number): number {
  const found = messages.findIndex(({ role }, index) => index >= from && role !== "tool");
  return found < 0 ? messages.length : found;
}

async function ask(
  conversation: Conversation,
  messages: readonly Message[],
  { model, system, tools, signal, focus, onUsage }: SummariseOptions,
): Promise<string> {
  const request = { role: "user", text: requestText(focus) } as const;
  let text = "";
  for await (const event of model.stream({
    system,
    messages: [...messages, request],
    tools,
    sessionId: conversation.id,
    signal,
  })) {
    if (event.type === "text") text += event.text;
    if (event.type !== "finish") continue;
    conversation.log.append({ type: "spent", model: model.id, usage: event.usage });
    conversation.usage = addUsage(conversation.usage, event.usage);
    onUsage?.(event.usage);
    // What a content filter left of a response is not a summary.
    if (event.reason === "content_filter") text = "";
    else if (event.reason === "length" && text.trim() !== "") text += "\n[The summary was cut off here.]";
  }
  if (text.trim() === "") throw new ModelError("bad_stream", "The model returned no summary.", { retryable: true });
  return text.trim();
}

function requestText(focus: string | undefined): string {
  return `Summarize this conversation for an agent that will continue the work and sees only your summary. Do not call tools. Say, briefly and exactly:
- what the user wants, with their own words for what must and must not be done
- what was found out: files, functions, commands and their results
- what was changed, file by file
- what failed, and why
- what is left to do, and the next step${focus ? `\nAbove all keep: ${focus}` : ""}`;
}
