// Keeps a request within what the server takes: before it is sent by its size, and after it was rejected by leaving things out.

import { findTool, type Registry } from "@ikigai/core";
import {
  addUsage,
  asSentence,
  dropImages,
  dropReasoning,
  isTooMuch,
  type Message,
  ModelError,
  type ModelRequest,
  type Usage,
} from "@ikigai/models";
import { areShort, compactMessages, contextSize, shortenResults, summarise, tailStart } from "@ikigai/session";
import type { HookedSummary } from "../hooks/event-hooks.ts";
import { sentTools } from "./sent-tools.ts";
import { sceneOf, type TurnContext } from "./turn-context.ts";

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
    tools: sentTools(registry, conversation, turn.contextWindow, turn),
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
  const hooked = await beforeCompact(turn);
  if ("refusal" in hooked) {
    turn.summaryFailedAtStep = turn.steps;
    turn.emit({ type: "notice", text: hooked.refusal });
    return false;
  }
  turn.emit({ type: "notice", text: "Context is filling up: compacting older messages." });
  try {
    const tools = sentTools(registry, conversation, turn.contextWindow, turn);
    const onUsage = (usage: Usage) => {
      turn.usage = addUsage(turn.usage, usage);
    };
    const request = { model, system: prompt.system, tools, signal, before, ...hooked };
    await summarise(conversation, { ...request, isTurnOpen: true, onUsage });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof ModelError)) throw error;
    turn.summaryFailedAtStep = turn.steps;
    turn.emit({ type: "notice", text: `Could not compact older messages: ${error.message}` });
    return false;
  }
}

/** Runs the hooks for a summary that the turn needs. */
async function beforeCompact(turn: TurnContext): Promise<HookedSummary> {
  const scene = sceneOf(turn);
  return scene ? (await import("../hooks/event-hooks.ts")).compactHooks(scene, "auto", "") : { focus: "" };
}

function notifyMovedResults(turn: TurnContext, why?: string): void {
  const text = "Older tool results were moved out of the context to make room.";
  turn.emit({ type: "notice", text: why === undefined ? text : `${why} ${text}` });
}

/**
 * What a request can do without when the server rejects it: images, reasoning, old results. Servers say in too many ways that they do
 * not take one of these, and the conversation could never continue with it.
 *
 * After a rejection, the request is sent once without each of them that it has. The conversation loses one only when a request
 * without it was accepted: otherwise something else was the reason.
 */
export interface LeftOut {
  /** Returns the request without what is left out. */
  request(request: ModelRequest): ModelRequest;
  /** Whether to retry without something after the error. */
  retryWithout(error: ModelError): boolean;
  /** Call when a request was accepted, before its response is recorded. */
  accepted(): void;
}

/** Something that a request can do without. */
interface Part {
  /** The end of the notice "Retrying …". */
  readonly retrying: string;
  /** Whether the error may be about it. */
  isWorth(error: ModelError): boolean;
  /** Removes it from a copy of the messages; false if there is nothing to remove. */
  remove(messages: Message[]): boolean;
  /** Removes it from the conversation permanently. */
  keep(): void;
}

/** A conversation with fewer characters is not too long for any model that can use tools. */
const longLength = 50_000;

const reasoningPattern = /thinking|reasoning|signature/i;

/** A turn of which parts can be left out. */
type ShortenedTurn = Pick<TurnContext, "conversation" | "record" | "emit" | "thinking" | "leavesOutThinking">;

/** The parts that can be left out, the first to try first. */
function partsOf(turn: ShortenedTurn): Readonly<Record<"images" | "reasoning" | "results", Part>> {
  const { conversation } = turn;
  const images: Part = {
    retrying: "without the images and documents",
    isWorth: () => true,
    remove: dropImages,
    keep() {
      turn.record({ type: "drop_images" });
      dropImages(conversation.messages);
    },
  };
  const reasoning: Part = {
    retrying: "without the reasoning",
    isWorth: ({ status }) => status === 400 || status === 422,
    remove: (messages) => dropReasoning(messages) || (turn.thinking !== undefined && !turn.leavesOutThinking),
    keep() {
      turn.leavesOutThinking = true;
      if (!dropReasoning([...conversation.messages])) return;
      turn.record({ type: "drop_reasoning" });
      dropReasoning(conversation.messages);
    },
  };
  const results: Part = {
    retrying: "with a shorter conversation",
    isWorth: ({ status }) => (status === 400 || status === 422) && !areShort(conversation.messages, longLength),
    remove: (messages) => compactMessages(messages, messages.length).saved > 0,
    keep: () => void shortenResults(conversation, conversation.messages.length),
  };
  return { images, reasoning, results };
}

export function leftOut(turn: ShortenedTurn): LeftOut {
  const { conversation } = turn;
  const { images, reasoning, results } = partsOf(turn);
  const untried = new Set([images, reasoning, results]);
  let without: Part | undefined;
  const accepted = () => {
    const part = without;
    without = undefined;
    part?.keep();
  };
  return {
    accepted,
    request(request) {
      if (!without) return request;
      const { thinking, ...others } = request;
      const messages = [...request.messages];
      without.remove(messages);
      return without === reasoning ? { ...others, messages } : { ...request, messages };
    },
    retryWithout(error) {
      // The images are no longer what is wrong, and the request for a summary must not have them either.
      if (isTooMuch(error) && without === images) accepted();
      if (!error.mayRejectContent) return false;
      const parts = reasoningPattern.test(error.message) ? [reasoning, images, results] : untried;
      for (const part of parts) {
        if (!untried.has(part) || !part.isWorth(error) || !part.remove([...conversation.messages])) continue;
        untried.delete(part);
        without = part;
        turn.emit({ type: "notice", text: `${asSentence(error.message)} Retrying ${part.retrying}.` });
        return true;
      }
      return false;
    },
  };
}

/**
 * Leaves out the tool that a request was rejected for, for the rest of the session, and says so. Returns whether to retry: not if the
 * error names no tool, or one that is left out already.
 */
export function leaveOutTool(
  { message, tool: name }: ModelError,
  { conversation, emit }: Pick<TurnContext, "conversation" | "emit">,
  registry: Registry,
): boolean {
  const tool = name === undefined ? undefined : findTool(registry, name);
  if (tool === undefined || conversation.rejectedTools?.has(tool.name)) return false;
  conversation.rejectedTools = new Set([...(conversation.rejectedTools ?? []), tool.name]);
  const advice = `Correct its schema in ${tool.path}, or remove the file. To check it: ikigai tool check ${tool.name}`;
  emit({ type: "notice", text: `${asSentence(message)} Continuing without the tool ${tool.name}. ${advice}` });
  return true;
}
