// How large a conversation is, and how it gets smaller: old results move to files, then a summary replaces the beginning.

import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  dropImages,
  dropReasoning,
  isDocument,
  isTooMuch,
  type Message,
  ModelError,
  type ModelTool,
  sentText,
  type ToolCallPart,
} from "@ikigai/models";
import { textStart } from "@ikigai/protocol";
import { makePrivateDirectory } from "@ikigai/system";
import { estimateTokenCount } from "tokenx";
import type { Conversation } from "../conversation.ts";
import { outputsDir } from "../log/log.ts";
import { readKeptLines, readTodos } from "../log/read-log.ts";
import { compactMessages, type LeftOut } from "../log/rebuild.ts";
import { type AsideOptions, type RequestParts, requestAside } from "./aside.ts";

interface SummariseOptions extends Omit<AsideOptions, "thinking"> {
  /** The first message that is replaced, by default that of the conversation, and the first one after it that stays. */
  readonly from?: number;
  readonly before: number;
  /** What the user wants to keep most. */
  readonly focus?: string;
  /** Whether the turn is still running: the summary must then include the user's last request. */
  readonly isTurnOpen: boolean;
  /** Whether a summary that is no shorter is dropped. */
  readonly mustShrink?: boolean;
}

/**
 * Summarizes a conversation, or a part of it, at the user's request. Returns false if the summary would be longer than the part: the
 * conversation is then unchanged.
 *
 * @throws ModelError if the model fails, anything after an abort; the conversation is then unchanged.
 */
export function compactConversation(
  conversation: Conversation,
  options: Omit<SummariseOptions, "before" | "isTurnOpen"> & Partial<Pick<SummariseOptions, "before">>,
): Promise<boolean> {
  const mustShrink = options.from !== undefined || options.before !== undefined;
  return summarise(conversation, { before: conversation.messages.length, ...options, isTurnOpen: false, mustShrink });
}

/** How often the oldest half is dropped if even the summary request is too long. */
const maxHalvings = 4;

/** A rejected request of more characters may be too long, whatever the server says. */
const longLength = 50_000;

/** User requests up to this length are quoted in full, in characters. */
const maxQuotedLength = 8_000;

/**
 * Replaces the beginning of a conversation, or another part, with a summary by the model; the log keeps everything. Returns false if
 * nothing was replaced.
 *
 * @throws ModelError if the model fails; the conversation is then unchanged.
 */
export async function summarise(conversation: Conversation, options: SummariseOptions): Promise<boolean> {
  const { messages, log } = conversation;
  const { from = 0, before, isTurnOpen } = options;
  const summary = await askForSummary(conversation, options);
  const lastUser = messages.findLast((message) => message.role === "user");
  const isLastUserCut = isTurnOpen && lastUser !== undefined && messages.indexOf(lastUser) < before;
  const quoted = isLastUserCut ? textStart(lastUser.text, maxQuotedLength) : "";
  const replaced = messages.slice(from, before);
  const left = usersIn(messages.slice(before)) + (isLastUserCut ? 1 : 0);
  const kept = { left, first: from === 0 ? 0 : usersIn(messages.slice(0, from)) };
  const text = [
    `[${from === 0 ? "The beginning" : "This part"} of this conversation was replaced by this summary to make room.]`,
    summary,
    ...keptFacts(conversation, kept, Math.min(maxUserTokens, sizeOf(replaced) / 4)),
    ...(quoted === "" ? [] : ["The user's last message, which you are working on:", quoted]),
  ].join("\n\n");
  if (options.mustShrink && estimateTokens(text) >= sizeOf(replaced)) return false;
  log.append({ type: "summary", ...(from > 0 && { from }), before, text });
  // The cache is lost anyway: the next turn begins a new prompt, with what has changed.
  if (from === 0) conversation.prompt = conversation.toolOrder = undefined;
  messages.splice(from, before - from, { role: "user", text });
  // An estimate of the whole request, like the providers' counts, so that callers need not add the tools.
  conversation.measured = { tokens: estimateContext(messages, options), messages: messages.length };
  return true;
}

function usersIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === "user").length;
}

/** How much of the user's own words follows a summary, in tokens; at most a quarter of what it replaces. The last ones count most. */
const maxUserTokens = 8_000;

/** How many changed files and open tasks are named. */
const maxNamed = 100;

/**
 * Returns what no summary may change: the user's messages, the open tasks, the files that tools have changed. From the log, because earlier
 * summaries have replaced messages.
 *
 * @param stays how many of the first and of the last messages are not needed: they stay in the conversation
 * @param maxTokens limit of the user's messages
 */
function keptFacts(
  conversation: Conversation,
  stays: { readonly first: number; readonly left: number },
  maxTokens: number,
): string[] {
  const said: string[] = [];
  const files = new Set<string>();
  for (const line of readKeptLines(conversation.log)) {
    if (line.type === "user" && !line.typed) said.push(line.text);
    if (line.type === "changed") files.add(line.path);
  }
  const words: string[] = [];
  let room = maxTokens;
  for (const text of said.slice(stays.first, said.length - stays.left).reverse()) {
    room -= estimateTokens(text);
    if (room < 0) break;
    words.unshift(text);
  }
  const open = readTodos(conversation).filter(({ status }) => status !== "done");
  const list = (items: readonly string[]) =>
    items
      .slice(0, maxNamed)
      .map((item) => `- ${item}`)
      .join("\n");
  return [
    ...(words.length === 0 ? [] : [`The user's messages until then, unchanged:\n\n${words.join("\n\n---\n\n")}`]),
    ...(open.length === 0 ? [] : [`The open tasks:\n${list(open.map(({ text, status }) => `${text} (${status})`))}`]),
    ...(files.size === 0 ? [] : [`The files that were changed:\n${list([...files])}`]),
  ];
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
  options: SummariseOptions,
): Promise<string> {
  const first = options.from === undefined ? undefined : conversation.messages[options.from];
  const part =
    first?.role === "user"
      ? `\nSummarize only the part from this message of the user to the end; what is before it stays: ${textStart(first.text, maxNamedLength)}`
      : "";
  const request = { role: "user", text: `${requestText(options.focus)}${part}` } as const;
  const { text, reason } = await requestAside(conversation, [...messages, request], options);
  // What a content filter left of a response is not a summary.
  if (text === "" || reason === "content_filter")
    throw new ModelError("bad_stream", "The model returned no summary.", { retryable: true });
  return reason === "length" ? `${text}\n[The summary was cut off here.]` : text;
}

/** How much of a message tells which one is meant, in characters. */
const maxNamedLength = 500;

function requestText(focus: string | undefined): string {
  return `Summarize this conversation for an agent that will continue the work and sees only your summary. Do not call tools. Say, briefly and exactly:
- what the user wants, with their own words for what must and must not be done
- what was found out: files, functions, commands and their results
- what was changed, file by file
- what failed, and why
- what is left to do, and the next step${focus ? `\nAbove all keep: ${focus}` : ""}`;
}

/**
 * Replaces old results with the names of the files they are saved in, or with just a note if no file can be written. Returns
 * how many characters that saved.
 */
export function shortenResults(conversation: Conversation, before: number): number {
  const { messages, log } = conversation;
  const directory = outputsDir(conversation);
  const changed = [...messages];
  const { saved, leftOut } = compactMessages(changed, before, directory);
  if (saved <= 0) return 0;
  const kept = directory !== undefined && keep(leftOut);
  log.append({ type: "compact", before, ...(kept && { directory }) });
  const tokens = sizeOf(messages);
  const end = compactMessages(messages, before, kept ? directory : undefined);
  const { measured } = conversation;
  if (measured) {
    conversation.measured = { ...measured, tokens: Math.max(0, measured.tokens - tokens + sizeOf(messages)) };
  }
  return end.saved;
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

function keep(leftOut: readonly LeftOut[]): boolean {
  try {
    for (const { path, text } of leftOut) {
      makePrivateDirectory(dirname(path));
      writeFileSync(path, text, { mode: 0o600 });
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the index where the kept end of a conversation begins: about `maxTokens` tokens, always from the start of a step
 * or turn. The last step is included even if it is larger, up to `maxLastStep`, because the model has not seen its results
 * yet.
 */
export function tailStart(
  messages: readonly Message[],
  { maxTokens, maxLastStep }: { readonly maxTokens: number; readonly maxLastStep: number },
): number {
  let tokens = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message) break;
    tokens += estimateMessage(message);
    if (tokens > (start === messages.length ? maxLastStep : maxTokens)) break;
    if (message.role !== "tool") start = index;
  }
  return start;
}

/**
 * Returns the size of the next request in tokens: the provider's last count plus an estimate of the messages since.
 * Without such a count, all of it is an estimate.
 */
export function contextSize({ messages, measured }: Conversation, parts: RequestParts): number {
  if (measured) return measured.tokens + sum(messages.slice(measured.messages).map(estimateMessage));
  return estimateContext(messages, parts);
}

/** Estimates the size of a whole request in tokens. */
function estimateContext(messages: readonly Message[], { system, tools }: RequestParts): number {
  return estimatePrompt(system) + sum(tools.map(estimateTool)) + sum(messages.map(estimateMessage));
}

/** What fills the context, in tokens. The parts add up to `total`. */
interface ContextUse {
  readonly total: number;
  readonly system: number;
  /** The schema of each tool. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  readonly user: number;
  readonly assistant: number;
  /** Tool results, by tool name; the largest first. */
  readonly results: readonly { readonly name: string; readonly tokens: number }[];
  /** The largest messages, at most ten: a result with its call, else the message of the user or the model. */
  readonly largest: readonly { readonly message: Message; readonly call?: ToolCallPart; readonly tokens: number }[];
}

const maxLargest = 10;

/** Messages of fewer tokens are not worth a row. */
const minLargest = 200;

/** Returns what fills the context. The total is the provider's count if there is one; the parts are scaled to it. */
export function contextUse(conversation: Conversation, parts: RequestParts): ContextUse {
  const total = contextSize(conversation, parts);
  const { messages } = conversation;
  const estimated = estimateContext(messages, parts);
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
    system: share(estimatePrompt(parts.system)),
    tools: parts.tools.map((tool) => ({ name: tool.name, tokens: share(estimateTool(tool)) })),
    user: of("user"),
    assistant: of("assistant"),
    largest: largestOf(messages).map((one) => ({ ...one, tokens: share(one.tokens) })),
    results: [...byTool].map(([name, tokens]) => ({ name, tokens: share(tokens) })).sort((a, b) => b.tokens - a.tokens),
  };
}

function largestOf(messages: readonly Message[]): ContextUse["largest"] {
  const calls = new Map<string, ToolCallPart>();
  const sized = messages.map((message) => {
    for (const part of message.role === "assistant" ? message.parts : [])
      if (part.type === "tool_call") calls.set(part.id, part);
    const call = message.role === "tool" ? calls.get(message.id) : undefined;
    return { message, ...(call && { call }), tokens: estimateMessage(message) };
  });
  const large = sized.filter(({ tokens }) => tokens >= minLargest);
  return large.sort((a, b) => b.tokens - a.tokens).slice(0, maxLargest);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Longer texts are estimated from their beginning, since an estimate does not justify reading a megabyte. In characters. */
const sampleLength = 16_384;

/** How many characters of a schema make a token, measured with 500 schemas: for a decision that needs no exact number. */
export const charactersPerToken = 3.6;

/** The overhead of each message or tool, in tokens. */
const frameTokens = 4;

/** The size of an image in tokens: providers scale large ones down to about this. */
const imageTokens = 1_600;

/** The size of a document in tokens: about ten pages as text and image. */
const documentTokens = 20_000;

/** Estimates how many tokens a text has. Providers count differently, and report it only afterwards. */
function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(textStart(text, sampleLength)) * text.length) / sampleLength);
}

/** Messages and schemas do not change, and all of them are estimated before each request. */
const known = new WeakMap<object, number>();

function once(key: object, estimate: () => number): number {
  const tokens = known.get(key) ?? estimate();
  known.set(key, tokens);
  return tokens;
}

let lastPrompt = { text: "", tokens: 0 };

/** The system prompt stays the same for a whole conversation. */
function estimatePrompt(text: string): number {
  if (text !== lastPrompt.text) lastPrompt = { text, tokens: estimateTokens(text) };
  return lastPrompt.tokens;
}

function estimateMessage(message: Message): number {
  return once(message, () => estimateNewMessage(message));
}

function estimateNewMessage(message: Message): number {
  const files = message.role === "assistant" ? [] : (message.images ?? []);
  const filesTokens = files.reduce((sum, file) => sum + (isDocument(file) ? documentTokens : imageTokens), 0);
  return textsOf(message).reduce((sum, text) => sum + frameTokens + estimateTokens(text), filesTokens);
}

/** Whether messages have no images or documents and at most this many characters. Costs nothing compared with an estimate. */
export function areShort(messages: readonly Message[], maxLength: number): boolean {
  let length = 0;
  for (const message of messages) {
    if (message.role !== "assistant" && message.images?.length) return false;
    for (const text of textsOf(message)) length += text.length;
    if (length > maxLength) return false;
  }
  return true;
}

function textsOf(message: Message): string[] {
  if (message.role === "user") return [sentText(message)];
  if (message.role === "tool") return [message.json];
  return message.parts.map((part) => (part.type === "tool_call" ? part.name + part.arguments : part.text));
}

function estimateTool({ name, description, parameters }: ModelTool): number {
  return once(parameters, () => frameTokens + estimateTokens(name + description + JSON.stringify(parameters)));
}
