// One request to the model, with its retries. In order: the step, one attempt, the request, what is kept of a response, how a
// response is assembled from its pieces, and the wait before a retry.

import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { findTool, type Registry } from "@ikigai/core";
import {
  type AssistantPart,
  addUsage,
  asSentence,
  type FinishReason,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelRequest,
  type ModelUse,
  measureOf,
  noUsage,
  type ProviderMetadata,
  type ToolCallPart,
  type Usage,
} from "@ikigai/models";
import { expectedPlace } from "./ahead-calls.ts";
import { keepRoom, type LeftOut, leaveOutTool, leftOut, makeRoom } from "./make-room.ts";
import { sentTools } from "./sent-tools.ts";
import { noteCache } from "./system-prompt.ts";
import type { TurnContext } from "./turn-context.ts";

/** The result of one request. */
export type StepEnd =
  | { readonly type: "answered"; readonly parts: readonly AssistantPart[]; readonly finish: FinishReason }
  | { readonly type: "interrupted" }
  | { readonly type: "failed"; readonly error: ModelError };

/** The result of one attempt. `spoke`: whether the user has seen part of it. */
type Attempt =
  | { request: ModelRequest; finish: FinishReason; usage: Usage }
  | { error: ModelError | "aborted"; spoke: boolean };

/**
 * Sends one request, with retries, and adds the response to the conversation, even if it broke off. Calls run only after a
 * step, so a failed attempt has changed nothing.
 */
export async function runStep(turn: TurnContext, registry: Registry): Promise<StepEnd> {
  let brokeOff = false;
  const { conversation, model } = turn;
  const left = leftOut(turn);
  await keepRoom(turn, registry);
  for (let retry = 1; ; retry++) {
    const collector = collectStep((id) => isUsed(turn, id));
    const attempt = await attemptStep(turn, registry, collector, left);
    if (!("error" in attempt)) {
      const text = noteCache(conversation, { ...attempt, model: model.id, costOf: turn.costOf });
      if (text !== undefined) turn.emit({ type: "notice", text });
      return keepAnswer(turn, collector, attempt);
    }
    turn.ahead.discard();
    const { error, spoke } = attempt;
    if (error !== "aborted") {
      if (leaveOutTool(error, turn, registry) || left.retryWithout(error)) continue;
      if (await makeRoom(turn, registry, error)) continue;
      if (spoke) turn.emit({ type: "step_end", usage: noUsage, finish: "failed" });
      const failure = await beforeRetry(turn, error, { retry, spoke, isOver: spoke && brokeOff });
      brokeOff ||= spoke;
      if (failure === undefined) continue;
      if (!turn.signal.aborted) {
        keepParts(turn, collector, "failed");
        return { type: "failed", error: failure };
      }
    } else turn.emit({ type: "step_end", usage: noUsage, finish: "interrupted" });
    keepParts(turn, collector, "interrupted");
    return { type: "interrupted" };
  }
}

async function attemptStep(
  turn: TurnContext,
  registry: Registry,
  collector: StepCollector,
  left: LeftOut,
): Promise<Attempt> {
  const { signal, model, recorded } = turn;
  let spoke = false;
  try {
    turn.ahead.asked();
    if (mayChangeFiles(turn)) turn.undo?.asked();
    const request = left.request(toRequest(turn, registry));
    for await (const sent of model.stream(request)) {
      if (signal.aborted) return { error: "aborted", spoke };
      left.accepted();
      const event = withToolName(sent, registry);
      if (event.type === "finish") return { request, finish: event.reason, usage: event.usage };
      if (event.type === "skipped") turn.record(event);
      collector.add(event);
      if (event.type === "tool_call_start") {
        // A third of the code; loads while the tool starts. If this fails, the call itself fails, too.
        import("./run-calls.ts").catch(() => {});
        const id = collector.begin(event.id);
        if (!recorded) {
          const tool = findTool(registry, event.name);
          turn.ahead.start(id, event.name, registry);
          if (tool && expectedPlace(tool, turn.permission) !== "reading") turn.undo?.expect(tool);
        }
        turn.emit({ ...event, id });
      } else if ((event.type === "text" || event.type === "reasoning") && event.text !== "") {
        turn.emit({ type: event.type, text: event.text });
      } else continue;
      spoke = true;
    }
  } catch (error) {
    if (signal.aborted) return { error: "aborted", spoke };
    if (error instanceof ModelError) return { error, spoke };
    throw error;
  }
  if (signal.aborted) return { error: "aborted", spoke };
  const text = "The response broke off before it was complete.";
  return { error: new ModelError("bad_stream", text, { retryable: true }), spoke };
}

/** Whether calls may do more than read. */
function mayChangeFiles({ permission, ask, recorded }: TurnContext): boolean {
  if (permission.mode === "plan" || recorded) return false;
  return permission.mode !== "ask" || ask !== undefined || permission.rules.some(({ verdict }) => verdict === "allow");
}

/** Gives a call the tool's own name if the server has written it in the format of its template: `functions.bash`, `bash<|channel|>json`. */
function withToolName(event: ModelEvent, registry: Registry): ModelEvent {
  if ((event.type !== "tool_call" && event.type !== "tool_call_start") || findTool(registry, event.name)) return event;
  const name = event.name
    .trim()
    .replace(/<\|.*$/s, "")
    .replace(/^(?:functions|default_api|tools?)[.:]/, "")
    .trim();
  return findTool(registry, name) ? { ...event, name } : event;
}

function toRequest(turn: TurnContext, registry: Registry): ModelRequest {
  const { conversation, prompt, signal, contextWindow } = turn;
  const { id: sessionId, messages } = conversation;
  const thinking = turn.leavesOutThinking ? undefined : turn.thinking;
  const tools = sentTools(registry, conversation, contextWindow, turn);
  const { toolOrder } = conversation;
  const known = new Set(toolOrder?.names);
  const names = tools.flatMap(({ name }) => (known.has(name) ? [] : name));
  if (toolOrder && names.length > 0) {
    turn.record({ type: "tools", names });
    conversation.toolOrder = { ...toolOrder, names: [...toolOrder.names, ...names] };
  }
  return { system: prompt.system, messages, tools, sessionId, ...(thinking && { thinking }), signal };
}

function keepAnswer(
  turn: TurnContext,
  collector: StepCollector,
  { finish, usage }: Extract<Attempt, { finish: FinishReason }>,
): StepEnd {
  const { conversation, model } = turn;
  const parts = collector.parts();
  for (const part of parts) turn.record(part);
  turn.record({ type: "step_end", ...useOf(turn), finish, usage });
  if (parts.length > 0) conversation.messages.push({ role: "assistant", parts, model: model.id });
  turn.usage = addUsage(turn.usage, usage);
  conversation.usage = addUsage(conversation.usage, usage);
  conversation.measured = measureOf(usage, conversation.messages.length);
  turn.steps++;
  // The request fits again: the next overflow gets every attempt.
  turn.compactions = 0;
  conversation.rejections = 0;
  turn.text = collector.text();
  for (const part of parts) {
    const { type } = part;
    if (type === "tool_call") turn.emit({ type, id: part.id, name: part.name, arguments: part.arguments });
  }
  turn.emit({ type: "step_end", usage, finish });
  return { type: "answered", parts, finish };
}

/** Keeps the part of a response before it broke off, marked as interrupted. */
function keepParts(turn: TurnContext, collector: StepCollector, finish: "interrupted" | "failed"): void {
  const { conversation, model } = turn;
  const parts = collector.keptParts();
  turn.text = collector.text();
  if (parts.length > 0) {
    for (const part of parts) turn.record(part);
    turn.record({ type: "step_end", ...useOf(turn), finish, usage: noUsage });
    conversation.messages.push({ role: "assistant", parts, model: model.id, interrupted: true });
  }
}

function useOf({ model, thinking }: TurnContext): ModelUse {
  return { model: model.id, ...(thinking && { thinking }) };
}

function isUsed({ conversation }: TurnContext, id: string): boolean {
  return conversation.messages.some((message) => message.role === "tool" && message.id === id);
}

/** Assembles a response from its pieces. */
interface StepCollector {
  /** Returns the ID of a call that begins: the provider's, unless the conversation has it already. */
  begin(id: string): string;
  add(event: ModelEvent): void;
  /** All parts, in the order in which they began. */
  parts(): AssistantPart[];
  /** The parts to keep of a response that broke off: text only. Incomplete calls and unsigned reasoning are useless. */
  keptParts(): AssistantPart[];
  text(): string;
}

/** A part that may still grow. */
interface OpenPart {
  readonly type: "text" | "reasoning";
  readonly block: string | undefined;
  readonly pieces: string[];
  metadata?: ProviderMetadata;
}

/** @param isUsed whether a call ID exists in the conversation. */
function collectStep(isUsed: (id: string) => boolean): StepCollector {
  const parts: (OpenPart | ToolCallPart)[] = [];
  const ids = new Set<string>();
  const begun = new Map<string, string[]>();

  const uniqueId = (wanted: string): string => {
    let id = wanted || `call_${randomBytes(8).toString("hex")}`;
    for (let number = 2; ids.has(id) || isUsed(id); number++) id = `${wanted}_${number}`;
    ids.add(id);
    return id;
  };
  const openPart = (type: OpenPart["type"], block: string | undefined): OpenPart => {
    const last = parts.at(-1);
    const known =
      block === undefined
        ? last?.type === type && last.block === undefined && last
        : parts.find((part): part is OpenPart => part.type === type && part.block === block);
    if (known) return known;
    const part: OpenPart = { type, block, pieces: [] };
    parts.push(part);
    return part;
  };
  const finished = () => parts.map(close);

  return {
    begin(wanted) {
      const id = uniqueId(wanted);
      begun.set(wanted, [...(begun.get(wanted) ?? []), id]);
      return id;
    },
    add(event) {
      if (event.type === "text" || event.type === "reasoning") {
        const part = openPart(event.type, event.block);
        if (event.text !== "") part.pieces.push(event.text);
      } else if (event.type === "metadata") {
        const part = parts.find((one): one is OpenPart => one.type !== "tool_call" && one.block === event.block);
        if (part) part.metadata = merge(part.metadata, event.metadata);
      } else if (event.type === "tool_call") {
        const { name, arguments: args, metadata } = event;
        const id = begun.get(event.id)?.shift() ?? uniqueId(event.id);
        parts.push({ type: "tool_call", id, name, arguments: args, ...(metadata && { metadata }) });
      }
    },
    parts: () => finished().filter((part) => part.type === "tool_call" || part.text !== "" || part.metadata),
    keptParts: () => finished().flatMap((part) => (isKept(part) ? [{ type: part.type, text: part.text }] : [])),
    text: () =>
      finished()
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join(""),
  };
}

function isKept(part: AssistantPart): part is AssistantPart & { type: "text" } {
  return part.type === "text" && part.text.trim() !== "";
}

function close(part: OpenPart | ToolCallPart): AssistantPart {
  if (part.type === "tool_call") return part;
  const { type, pieces, metadata } = part;
  return { type, text: pieces.join(""), ...(metadata && { metadata }) };
}

/** Later values win; others stay. */
function merge(old: ProviderMetadata = {}, next: ProviderMetadata): ProviderMetadata {
  const merged: Record<string, ProviderMetadata[string]> = { ...old };
  for (const [provider, values] of Object.entries(next)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}

/* The wait before a request is repeated: who gives up when, and what the user sees meanwhile. */

interface Retry {
  /** Which one this is of the request, from 1. */
  readonly retry: number;
  /** Whether the user has seen part of the response. */
  readonly spoke: boolean;
  /** A response that broke off is retried once. */
  readonly isOver: boolean;
}

/** Waits before a retry; returns the error instead if it is not retried. */
export async function beforeRetry(
  turn: TurnContext,
  error: ModelError,
  { retry, spoke, isOver }: Retry,
): Promise<ModelError | undefined> {
  const { maxRetryAfterMs, firstRetryMs } = turn.patience;
  const maxRetries = Math.min(turn.patience.maxRetries, error.maxRetries ?? Number.POSITIVE_INFINITY);
  if (!error.retryable) return error;
  if (isOver) return withText(error, `${asSentence(error.message)} Gave up: the connection broke twice.`);
  if (retry > maxRetries) return withText(error, `${error.message} (tried ${retry} times)`);
  const { retryAfterMs: askedMs = 0 } = error;
  // A delay of 0 is ignored: the next response would be the same.
  const waitMs = askedMs >= firstRetryMs ? askedMs : Math.max(askedMs, backoffMs(retry, firstRetryMs));
  if (waitMs > maxRetryAfterMs) {
    const limit = `longer than the limit of ${seconds(maxRetryAfterMs)} (patience.maxRetryAfterMs)`;
    return withText(error, `${asSentence(error.message)} The server asks to wait ${seconds(waitMs)}, ${limit}.`);
  }
  const why = asSentence(error.message);
  const { code, server } = error;
  const [count, most] = spoke ? [1, 1] : [retry, maxRetries];
  turn.emit({
    type: "notice",
    text: `${why} Retrying in ${seconds(waitMs)} (${count} of ${most}).`,
    retry: { why, brief: briefError(error), ...(server !== undefined && { server }), code, waitMs, count, most },
  });
  return (await pause(waitMs, turn.signal)) ? undefined : error;
}

function withText({ code, status, retryAfterMs }: ModelError, message: string): ModelError {
  return new ModelError(code, message, {
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Returns the delay before the `attempt`th retry (from 1), in milliseconds, if the server does not specify one. */
function backoffMs(attempt: number, firstRetryMs: number): number {
  const full = Math.min(firstRetryMs * 2 ** (attempt - 1), maxBackoffMs);
  // Half of the delay is random, so that many clients do not retry at the same time.
  return full / 2 + (full / 2) * Math.random();
}

/** Only the server can ask for longer delays. */
const maxBackoffMs = 30_000;

const kinds: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "Rate limited",
  unavailable: "Server unavailable",
  network: "Connection failed",
  timeout: "No response",
  bad_stream: "Bad response",
};

/** The status of an overloaded server that is not in HTTP's standard. */
const overloaded = 529;

/** What failed in a few words, without the server's address, for a place where the sentence does not fit. */
function briefError({ code, status }: Pick<ModelError, "code" | "status">): string {
  const kind = status === overloaded ? "Server overloaded" : (kinds[code] ?? "Request failed");
  return status === undefined ? kind : `${kind} (${status})`;
}

/** Waits; returns false if the signal ended it. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
