// A conversation as a value, and the calls in it that its user has typed.
import type { Measure, Message, ModelRequest, ModelUse, TypedCall, Usage, UserMessage } from "@ikigai/models";
import type { SessionEvent, TurnEndReason } from "./log/events.ts";
import type { SessionLog } from "./log/log.ts";

/** A conversation as a value: its messages and its log. */
export interface Conversation {
  readonly id: string;
  /** The directory it started in. */
  readonly cwd: string;
  readonly messages: Message[];
  readonly log: SessionLog;
  /** The parts of its system prompt, as sent with the first request, or the first one after a summary. */
  prompt?: Readonly<Record<string, string>> | undefined;
  /** The tools that were loaded, in this order: their schemas are part of every request. */
  readonly introduced: string[];
  /** The tools that requests have had, in the order in which they came, and how many the first one had: what comes later goes last. */
  toolOrder?: ToolOrder | undefined;
  /** The tools that requests leave out since the server rejects their schemas. */
  rejectedTools?: ReadonlySet<string>;
  usage: Usage;
  /** The size of the conversation when the provider last counted it. */
  measured?: Measure | undefined;
  /** What the last request may have left in the provider's cache. */
  cached?: CachedRequest;
  /** How many turns in a row have ended because the provider rejected the messages. */
  rejections?: number;
  /** The model that the user last chose, or the last request used, before it was resumed. */
  readonly lastUse?: ModelUse;
  /** The turns before it was resumed. Their positions are those of the messages at that moment. */
  readonly turns?: readonly PastTurn[];
}

/** What the last request may have left in the provider's cache. */
interface CachedRequest extends Pick<ModelRequest, "system" | "messages" | "tools"> {
  readonly model: string;
  /** How much of it the provider has read from its cache or written to it. */
  readonly tokens: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The cache was already lost. */
  readonly isLost: boolean;
}

export interface ToolOrder {
  readonly names: readonly string[];
  readonly first: number;
}

/** What a conversation keeps of the prompt that it begins with. */
export function promptState({ parts, tools }: Pick<Extract<SessionEvent, { type: "prompt" }>, "parts" | "tools">) {
  return { prompt: parts, toolOrder: tools && { names: tools, first: tools.length } };
}

/** A turn that has ended, as its session's log tells it, for the screen. */
export interface PastTurn {
  /** How many messages the conversation had when it ended. */
  readonly end: number;
  readonly reason: TurnEndReason;
  /** Why it failed; one sentence. */
  readonly error?: string;
  readonly endedAt: Date;
  /** How long it worked, in milliseconds: without the time in which a question may have been open. */
  readonly workedMs: number;
  readonly usage: Usage;
  /** The model of its last request; absent if it made none. */
  readonly model?: string;
  /** The copies of the files that its calls changed, by the calls' IDs; `null` for a file that did not exist. */
  readonly before: ReadonlyMap<string, string | null>;
}

/** Returns what the user typed: the command after `!`, or `/load`, if the message reports a call, else the message. */
export function asTyped({ text, typed }: Pick<UserMessage, "text" | "typed">): string {
  return (typed && typedForm(typed)) ?? text;
}

/** What the user types for a call; undefined if nothing typed makes such a call. */
export function typedForm({ name, arguments: args }: TypedCall): string | undefined {
  const { command, background, name: loaded, arguments: words } = parsedObject(args);
  if (typeof command === "string") return `!${command}${background === true ? " &" : ""}`;
  if (name !== "load" || typeof loaded !== "string") return undefined;
  return typeof words === "string" ? `/load ${loaded} ${words}` : `/load ${loaded}`;
}

function parsedObject(json: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(json) };
  } catch {
    return {};
  }
}

type CallEvent = Extract<SessionEvent, { type: "typed_call" }>;

/** A call by the user, as the message that reports it has it, and its line of the log. */
export interface ReportedCall {
  readonly report: Required<Pick<UserMessage, "typed" | "ended">>;
  readonly call: CallEvent;
}

/**
 * Follows a log from its beginning. The returned function takes every line, and returns the call that a user message
 * reports: the one directly before it, with its result.
 */
export function followTypedCalls(): (event: SessionEvent) => ReportedCall | undefined {
  const calls = new Map<string, CallEvent>();
  let ended: ReportedCall | undefined;
  return (event) => {
    if (event.type === "typed_call") calls.set(event.id, event);
    if (event.type === "tool_result") {
      const call = calls.get(event.id);
      ended = call && { call, report: reportOf(call, event) };
    }
    if (event.type !== "user") return undefined;
    const reported = event.typed && ended;
    ended = undefined;
    return reported && typedForm(reported.call) !== undefined ? reported : undefined;
  };
}

/** What a message has of the call that it reports. */
export function reportOf(
  { name, arguments: args }: TypedCall,
  { json, durationMs }: Required<ReportedCall["report"]["ended"]>,
): ReportedCall["report"] {
  return { typed: { name, arguments: args }, ended: { json, durationMs } };
}
