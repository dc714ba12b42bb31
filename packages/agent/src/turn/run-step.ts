import type { Registry } from "@ikigai/core";
import { backoffMs } from "../model/backoff.ts";
import type { AssistantPart } from "../model/message.ts";
import type { FinishReason, ModelRequest } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import { compactMessages } from "../session/compact-messages.ts";
import { collectStep, type StepCollector } from "./collect-step.ts";
import { pause } from "./pause.ts";
import type { Turn } from "./turn.ts";

/** What became of one request. */
export type StepEnd =
  | { readonly type: "answered"; readonly parts: readonly AssistantPart[]; readonly finish: FinishReason }
  | { readonly type: "interrupted" }
  | { readonly type: "failed"; readonly error: ModelError };

/** How one attempt ended. */
type Attempt = { finish: FinishReason; usage: Usage } | { error: ModelError } | "aborted";

/**
 * Asks the model once, again where that can help, and puts the answer into the conversation: a whole one, or what had come
 * of it. Calls are only made after a step, so an attempt that broke off has changed nothing.
 */
export async function runStep(turn: Turn, registry: Registry): Promise<StepEnd> {
  let brokeOff = false;
  for (let retry = 1; ; retry++) {
    const collector = collectStep((id) => isUsed(turn, id));
    const attempt = await attemptStep(turn, registry, collector);
    if (attempt === "aborted") {
      keepParts(turn, collector, "interrupted");
      return { type: "interrupted" };
    }
    if (!("error" in attempt)) return keepAnswer(turn, collector, attempt);
    const { error } = attempt;
    if (makesRoom(turn, error)) continue;
    const spoke = collector.parts().length > 0;
    const failure = await beforeRetry(turn, error, retry, spoke && brokeOff);
    brokeOff ||= spoke;
    if (failure === undefined) {
      if (spoke) turn.emit({ type: "step_end", usage: noUsage, finish: "failed" });
      continue;
    }
    keepParts(turn, collector, turn.signal.aborted ? "interrupted" : "failed");
    return turn.signal.aborted ? { type: "interrupted" } : { type: "failed", error: failure };
  }
}

async function attemptStep(turn: Turn, registry: Registry, collector: StepCollector): Promise<Attempt> {
  const { signal, options } = turn;
  try {
    for await (const event of options.model.stream(toRequest(turn, registry))) {
      if (signal.aborted) return "aborted";
      if (event.type === "finish") return { finish: event.reason, usage: event.usage };
      collector.add(event);
      if (event.type === "tool_call_start") turn.emit(event);
      else if ((event.type === "text" || event.type === "reasoning") && event.text !== "") {
        turn.emit({ type: event.type, text: event.text });
      }
    }
  } catch (error) {
    if (signal.aborted) return "aborted";
    if (error instanceof ModelError) return { error };
    throw error;
  }
  return signal.aborted
    ? "aborted"
    : { error: new ModelError("bad_stream", "The answer broke off before it was complete.", { retryable: true }) };
}

function toRequest({ conversation, options, signal }: Turn, registry: Registry): ModelRequest {
  const tools = registry.tools.map(({ name, schema }) => {
    return { name, description: schema.description, parameters: schema.parameters };
  });
  return { system: options.system, messages: conversation.messages, tools, sessionId: conversation.id, signal };
}

/** Waits until a failed request can be sent again; says why it is not, if so. */
async function beforeRetry(
  turn: Turn,
  error: ModelError,
  retry: number,
  isOver: boolean,
): Promise<ModelError | undefined> {
  const { maxRetries, maxRetryAfterMs, firstRetryMs } = turn.patience;
  if (!error.retryable || isOver) return error;
  if (retry > maxRetries) return withText(error, `${error.message} (tried ${retry} times)`);
  const waitMs = error.retryAfterMs ?? backoffMs(retry, firstRetryMs);
  if (waitMs > maxRetryAfterMs) {
    const limit = `longer than the limit of ${seconds(maxRetryAfterMs)} (patience.maxRetryAfterMs)`;
    return withText(error, `${error.message} It asks to wait ${seconds(waitMs)}, ${limit}.`);
  }
  turn.emit({
    type: "notice",
    text: `${error.message} Trying again in ${seconds(waitMs)} (${retry} of ${maxRetries}).`,
  });
  return (await pause(waitMs, turn.signal)) ? undefined : error;
}

/** Shortens a conversation that is too long, once: the same request is never sent twice. */
function makesRoom(turn: Turn, error: ModelError): boolean {
  if (error.code !== "context_too_long" || turn.compacted) return false;
  turn.compacted = true;
  const { messages } = turn.conversation;
  const before = messages.length;
  turn.record({ type: "compact", before });
  const saved = compactMessages(messages, before);
  if (saved === 0) return false;
  turn.emit({ type: "notice", text: `${error.message} Older tool results were shortened by ${saved} characters.` });
  return true;
}

function keepAnswer(
  turn: Turn,
  collector: StepCollector,
  { finish, usage }: Exclude<Attempt, { error: ModelError } | "aborted">,
): StepEnd {
  const { conversation, options } = turn;
  const parts = collector.parts();
  for (const part of parts) turn.record(part);
  turn.record({ type: "step_end", model: options.model.id, finish, usage });
  if (parts.length > 0) conversation.messages.push({ role: "assistant", parts, model: options.model.id });
  turn.usage = addUsage(turn.usage, usage);
  conversation.usage = addUsage(conversation.usage, usage);
  turn.steps++;
  turn.text = collector.text();
  for (const part of parts) {
    const { type } = part;
    if (type === "tool_call") turn.emit({ type, id: part.id, name: part.name, arguments: part.arguments });
  }
  turn.emit({ type: "step_end", usage, finish });
  return { type: "answered", parts, finish };
}

/** Keeps what was said before it broke off, marked as such. */
function keepParts(turn: Turn, collector: StepCollector, finish: "interrupted" | "failed"): void {
  const { conversation, options } = turn;
  const parts = collector.keptParts();
  turn.text = collector.text();
  if (parts.length > 0) {
    for (const part of parts) turn.record(part);
    turn.record({ type: "step_end", model: options.model.id, finish, usage: noUsage });
    conversation.messages.push({ role: "assistant", parts, model: options.model.id, interrupted: true });
  }
  turn.emit({ type: "step_end", usage: noUsage, finish });
}

function isUsed({ conversation }: Turn, id: string): boolean {
  return conversation.messages.some((message) => message.role === "tool" && message.id === id);
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
