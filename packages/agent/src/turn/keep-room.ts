import type { Registry } from "@ikigai/core";
import { addUsage, isTooMuch, ModelError, type Usage } from "@ikigai/models";
import { areShort, contextSize, shortenResults, summarise, tailStart } from "@ikigai/session";
import { sentTools } from "./sent-tools.ts";
import type { TurnContext } from "./turn-context.ts";

/** How full the context window may get: the response needs room too, and a count is never exact. */
const fullShare = 0.8;

/** Every model that can use tools accepts this many tokens, so its window need not be known. */
const alwaysFits = 6_000;

/** Making messages with fewer characters shorter gains nothing. */
const shortLength = 4_000;

/** The share of the window for the newest messages, which are kept unchanged. */
const tailShare = 0.2;

/** Shortening results was enough if the window is no fuller than this. */
const enoughShare = 0.6;

/** Makes room before the model's window is full, if its size is known. */
export async function keepRoom(turn: TurnContext, registry: Registry): Promise<void> {
  const { conversation } = turn;
  // Before the first request, the estimate of the prompt and the tools would take longer than anything else here.
  if (areShort(conversation.messages, shortLength)) return;
  const frame = {
    system: turn.prompt.system,
    tools: sentTools(registry, conversation, turn.contextWindow, turn.permission.sandboxOf),
  };
  const before = contextSize(conversation, frame);
  if (before < alwaysFits) return;
  const window = turn.contextWindow?.();
  if (window === undefined || before < window * fullShare) return;
  const tail = { maxTokens: window * tailShare, maxLastStep: window * enoughShare };
  if (shortenResults(conversation, tailStart(conversation.messages, tail)) > 0) notifyMovedResults(turn);
  if (contextSize(conversation, frame) < window * enoughShare) return;
  if (turn.summaryFailedAtStep === undefined)
    await compactOlder(turn, registry, tailStart(conversation.messages, tail));
}

/** Makes room after the provider rejected a request as too long; returns whether to retry. */
export async function makeRoom(turn: TurnContext, registry: Registry, error: ModelError): Promise<boolean> {
  if (!isTooMuch(error)) return false;
  const { messages } = turn.conversation;
  const attempt = turn.compactions++;
  if (attempt === 0 && shortenResults(turn.conversation, messages.length) > 0) {
    const isWindow = error.code === "context_too_long";
    notifyMovedResults(
      turn,
      isWindow ? "The conversation exceeded the model's context window." : "The server refused a request of this size.",
    );
    return true;
  }
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  // The user's latest message is not summarized: a single message that is too long stays too long.
  const isNew = lastUser === messages.length - 1;
  if (attempt > 1 || messages.length < 2 || turn.summaryFailedAtStep === turn.steps) return false;
  return compactOlder(turn, registry, isNew ? lastUser : messages.length);
}

async function compactOlder(turn: TurnContext, registry: Registry, before: number): Promise<boolean> {
  const { conversation, model, prompt, signal } = turn;
  if (before < 1) return false;
  turn.emit({ type: "notice", text: "Context is filling up: compacting older messages." });
  try {
    const tools = sentTools(registry, conversation, turn.contextWindow, turn.permission.sandboxOf);
    const onUsage = (usage: Usage) => {
      turn.usage = addUsage(turn.usage, usage);
    };
    await summarise(conversation, { model, system: prompt.system, tools, signal, before, isTurnOpen: true, onUsage });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof ModelError)) throw error;
    turn.summaryFailedAtStep = turn.steps;
    turn.emit({ type: "notice", text: `Could not compact older messages: ${error.message}` });
    return false;
  }
}

function notifyMovedResults(turn: TurnContext, why?: string): void {
  const text = "Older tool results were moved out of the context to make room.";
  turn.emit({ type: "notice", text: why === undefined ? text : `${why} ${text}` });
}
