import { findTool, type Registry } from "@ikigai/core";
import {
  asSentence,
  dropImages,
  dropReasoning,
  isTooMuch,
  type Message,
  type ModelError,
  type ModelRequest,
} from "@ikigai/models";
import { areShort, compactMessages, shortenResults } from "@ikigai/session";
import type { TurnContext } from "./turn-context.ts";

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

export function leftOut(
  turn: Pick<TurnContext, "conversation" | "record" | "emit" | "thinking" | "leavesOutThinking">,
): LeftOut {
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
