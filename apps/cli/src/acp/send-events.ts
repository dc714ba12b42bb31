import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk";
import { type AgentEvent, contextSize, frameFor } from "@ikigai/agent/internal";
import { findTool, type Registry } from "@ikigai/core";
import { isJsonObject, type Progress } from "@ikigai/protocol";
import { parseObject, printedJson } from "../render/json.ts";
import { underOwnNames } from "../render/render-call.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import type { AcpSession } from "./acp-session.ts";
import { callLocations, codeBlock, codeSpan, type EditDiff, editDiff, kindOf } from "./content.ts";

/** Returns a function that sends the events of a turn to the editor. */
export function sendEvents(session: AcpSession, registry: Registry): (event: AgentEvent) => void {
  const { agent, send } = session;
  const { projectDir } = agent.places;
  const calls = new Map<string, { readonly arguments: string; diff?: EditDiff | undefined }>();
  return (event) => {
    switch (event.type) {
      case "text":
        return send({ sessionUpdate: "agent_message_chunk", content: text(event.text) });
      case "reasoning":
        return send({ sessionUpdate: "agent_thought_chunk", content: text(event.text) });
      case "notice":
        return send({ sessionUpdate: "agent_thought_chunk", content: text(`\n${sanitise(event.text)}\n`) });
      case "tool_call": {
        calls.set(event.id, { arguments: event.arguments });
        return send({ sessionUpdate: "tool_call", ...shownCall(event, registry, projectDir), status: "pending" });
      }
      case "tool_start": {
        const call = calls.get(event.id);
        const tool = findTool(registry, event.name);
        const args = parseObject(call?.arguments ?? "");
        const diff = tool && args && editDiff(tool, args, projectDir);
        if (call) call.diff = diff;
        const content = diff && { content: [diff] };
        return send({ sessionUpdate: "tool_call_update", toolCallId: event.id, status: "in_progress", ...content });
      }
      case "tool_progress": {
        const content = [textContent(progressText(event.progress))];
        return send({ sessionUpdate: "tool_call_update", toolCallId: event.id, content });
      }
      case "tool_result": {
        const diff = calls.get(event.id)?.diff;
        return send({ sessionUpdate: "tool_call_update", ...callResult(event.id, event.json, diff) });
      }
      case "step_end":
        return sendUsage(session, registry);
      case "user":
      case "tool_call_start":
      // Not offered: an editor gets the texts of what it cannot draw with the result.
      case "shown":
      case "turn_end":
        return undefined;
      default:
        event satisfies never;
    }
  };
}

/** A call as the editor shows it. */
export function shownCall(
  { id, name, arguments: args }: { readonly id: string; readonly name: string; readonly arguments: string },
  registry: Registry,
  cwd: string,
) {
  const tool = findTool(registry, name);
  const { command, file_path: path, pattern } = underOwnNames(name, parseObject(args) ?? {});
  const what = [command, path, pattern].find((value) => typeof value === "string");
  return {
    toolCallId: id,
    title: typeof what === "string" ? `${sanitiseLine(name)}: ${codeSpan(what)}` : sanitiseLine(name),
    name,
    kind: kindOf(tool),
    locations: callLocations(tool, args, cwd),
    rawInput: parseObject(args) ?? args,
  };
}

/** The end of a call, from the text of its envelope. A diff stays visible beside the result. */
export function callResult(id: string, json: string, diff?: EditDiff) {
  const envelope = parseObject(json) ?? { error: json };
  const result = isJsonObject(envelope.result) ? envelope.result : {};
  const isDone = envelope.tool_success === true && typeof result.error_code !== "string";
  const shown = result.output ?? result.error ?? envelope.error;
  const body = typeof shown === "string" ? shown : printedJson(envelope, 2);
  return {
    toolCallId: id,
    status: isDone ? ("completed" as const) : ("failed" as const),
    content: [...(diff && isDone ? [diff] : []), ...(body === "" ? [] : [textContent(codeBlock(sanitise(body)))])],
    rawOutput: envelope,
  };
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  if (message !== undefined && progress === 0 && total === undefined) return sanitiseLine(message);
  return message === undefined ? count : `${sanitiseLine(message)} (${count})`;
}

/** How full the model's context is, if its size is known. */
function sendUsage({ agent, model, send }: AcpSession, registry: Registry): void {
  const size = agent.models.of(model.id)?.contextWindow;
  if (size === undefined) return;
  const used = contextSize(agent.conversation, frameFor(agent, registry, model.id));
  send({ sessionUpdate: "usage_update", used, size });
}

/** A block of text. */
export function text(content: string): ContentBlock & { type: "text" } {
  return { type: "text", text: content };
}

function textContent(content: string): ToolCallContent {
  return { type: "content", content: text(content) };
}
