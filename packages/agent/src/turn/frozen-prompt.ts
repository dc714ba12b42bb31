import type { ModelRequest, Usage } from "@ikigai/models";
import type { Conversation } from "@ikigai/session";
import type { PromptParts } from "./system-prompt.ts";

/*
 * A conversation's system prompt is written once and sent unchanged, byte for byte: providers cache the beginning of a request, and
 * a changed date or mode would cost the whole conversation again, and what is cached costs about a tenth. What has changed since is part of
 * the next user message. When a provider reports that it has lost its cache anyway, the user learns why and what that costs; not
 * again until the cache has worked.
 */

/** What a turn sends: the conversation's system prompt, and the parts that the model does not know yet. */
export interface FrozenPrompt {
  readonly system: string;
  /** The parts of a prompt that is new, for the log. */
  readonly parts?: PromptParts;
  /** The names of the tools that come with it. */
  readonly tools?: readonly string[];
  /** What the next user message tells: parts that are new, changed or, if empty, gone. */
  readonly changed?: PromptParts;
}

/** Compares the parts of a prompt as it would be now with what the model of a conversation has been told. */
export function freezePrompt(
  { prompt, messages }: Pick<Conversation, "prompt" | "messages">,
  now: PromptParts,
): FrozenPrompt {
  if (!prompt) return { system: promptText(now), parts: now };
  const told = new Map(Object.entries(prompt));
  for (const message of messages) {
    if (message.role === "user") for (const [name, text] of Object.entries(message.changed ?? {})) told.set(name, text);
  }
  const names = [...new Set([...Object.keys(now), ...told.keys()])];
  const changed = names.filter((name) => (now[name] ?? "") !== (told.get(name) ?? ""));
  return {
    system: promptText(prompt),
    ...(changed.length > 0 && { changed: Object.fromEntries(changed.map((name) => [name, now[name] ?? ""])) }),
  };
}

/** Returns the text of a prompt. */
export function promptText(parts: PromptParts): string {
  return Object.values(parts)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What a response says about its request. */
export interface AnsweredRequest {
  readonly request: ModelRequest;
  readonly model: string;
  readonly usage: Usage;
  /** Returns what a usage costs, in US dollars, if that is known. */
  readonly costOf?: ((usage: Usage) => number | undefined) | undefined;
}

/** Less is not worth a line, and some providers cache nothing so short, in tokens. */
const leastTokens = 8_000;

/** A request that reads less than this share of what was cached has lost the cache. */
const lostShare = 0.1;

/** Providers keep a cache for at least this long after a request, in milliseconds: Anthropic's five minutes are the shortest time. */
const keptMs = 300_000;

/** Remembers what a request leaves in the cache; returns what to tell the user if an unchanged conversation was not in it. */
export function noteCache(
  conversation: Conversation,
  { request, model, usage, costOf }: AnsweredRequest,
): string | undefined {
  const before = conversation.cached;
  const { system, tools, messages } = request;
  const at = Date.now();
  const tokens = usage.cacheReadTokens + usage.cacheWriteTokens;
  const isSame =
    before?.model === model &&
    before.system === system &&
    before.messages.every((message, index) => message === messages[index]);
  const isLost = isSame && before.tokens >= leastTokens && usage.cacheReadTokens < before.tokens * lostShare;
  conversation.cached = { model, system, tools, messages: [...messages], tokens, at, isLost };
  if (!isLost || before.isLost) return undefined;
  const isIdle = at - before.at > keptMs;
  const areNew = JSON.stringify(before.tools) !== JSON.stringify(tools);
  const why = areNew ? ", because the tools changed" : isIdle ? `, after ${minutes(at - before.at)} min` : "";
  const cached = { ...usage, cacheReadTokens: before.tokens };
  const cacheWriteTokens = Math.max(0, usage.cacheWriteTokens - before.tokens);
  const [cost, least] = [costOf?.(usage), costOf?.({ ...cached, cacheWriteTokens })];
  const more = cost === undefined || least === undefined ? "" : ` (about $${(cost - least).toFixed(2)} more)`;
  return `The provider's cache of this conversation was lost${why}: ${thousands(before.tokens)}k tokens cost the full price again${more}.`;
}

const minutes = (ms: number) => Math.round(ms / 60_000);

const thousands = (tokens: number) => Math.round(tokens / 1_000);
