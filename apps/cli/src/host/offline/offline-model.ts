import {
  type Message,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  type ToolMessage,
} from "@ikigai/agent/internal";
import { helpText, offlineNotice, unknownText } from "./offline-text.ts";
import { parseRequest } from "./parse-request.ts";
import type { PlainRequest } from "./plain-request.ts";
import { renderAnswer } from "./render-answer.ts";

/** Between two requests in one sentence. */
const thenPattern = /,?\s+(?:and\s+)?then\s+/i;

/**
 * The model where there is none: it understands plain requests, calls the tool each comes down to, and says what came of
 * it. Where a request names a place, `cwd` is the directory to look from. Its stream throws ModelError `not_understood` for
 * every other request.
 */
export function offlineModel(cwd: string): Model {
  return { id: "offline/plain-requests", notice: offlineNotice, stream: (request) => answer(request, cwd) };
}

async function* answer({ messages, tools }: ModelRequest, cwd: string): AsyncGenerator<ModelEvent> {
  const { text, results } = lastTurn(messages);
  const requests = stepsOf(text, (part) => parseRequest(part, tools, cwd));
  const last = results.at(-1);
  const next = requests[results.length];
  if (last) yield { type: "text", text: renderAnswer(last) };
  if (next?.type === "call" && !failed(last)) {
    // Unique among the calls of a conversation.
    const id = `call_${messages.length}`;
    yield { type: "tool_call_start", id, name: next.tool };
    yield { type: "tool_call", id, name: next.tool, arguments: JSON.stringify(next.args) };
    yield { type: "finish", reason: "tool_calls", usage: noUsage };
    return;
  }
  // Nothing was done, so it is no answer: whoever reads only the exit code has to see that.
  if (!last && next?.type !== "help") throw new ModelError("not_understood", unknownText(text));
  if (!last) yield { type: "text", text: helpText(tools) };
  yield { type: "finish", reason: "stop", usage: noUsage };
}

/** What the user said last, and the results since. */
function lastTurn(messages: readonly Message[]): { text: string; results: ToolMessage[] } {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const user = messages[start];
  const results = messages.slice(start + 1).filter((message): message is ToolMessage => message.role === "tool");
  return { text: user?.role === "user" ? user.text : "", results };
}

/** "read a then read b" is two requests, if both of them are; else a `then` is part of the one. */
function stepsOf(text: string, parse: (part: string) => PlainRequest): PlainRequest[] {
  const parts = text.split(thenPattern);
  const steps = parts.map(parse);
  return parts.length > 1 && steps.every(({ type }) => type === "call") ? steps : [parse(text)];
}

function failed(message: ToolMessage | undefined): boolean {
  return message !== undefined && (JSON.parse(message.json) as { tool_success: boolean }).tool_success === false;
}
