// What the agent does, as updates for the editor.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ContentBlock, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "@ikigai/agent";
import { requestParts } from "@ikigai/agent/internal";
import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { isJsonObject, type JsonObject, type Progress, type ToolAccess } from "@ikigai/protocol";
import { sanitise, sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { contextSize } from "@ikigai/session";
import { readRegularFile } from "@ikigai/system";
import { underOwnNames } from "../render/call/render-call.ts";
import { parseObject, printedJson } from "../render/json.ts";
import type { AcpSession } from "./acp-session.ts";

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
  const used = contextSize(agent.conversation, requestParts(agent, registry, model.id));
  send({ sessionUpdate: "usage_update", used, size });
}

/** A block of text. */
export function text(content: string): ContentBlock & { type: "text" } {
  return { type: "text", text: content };
}

function textContent(content: string): ToolCallContent {
  return { type: "content", content: text(content) };
}

/** A Markdown code block. Editors render Markdown, in which a command could hide parts of itself. */
export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

/** Text in a Markdown code span, on one line. */
export function codeSpan(text: string): string {
  const line = sanitiseStrictly(sanitiseLine(text));
  const fence = "`".repeat(longestRun(line) + 1);
  const room = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${room}${line}${room}${fence}`;
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

const kinds: Readonly<Record<ToolAccess["kind"], ToolKind>> = {
  "run-command": "execute",
  "read-file": "read",
  "write-file": "edit",
  "edit-file": "edit",
  "list-files": "search",
  "search-files": "search",
};

/** The kind of call, which editors show as an icon. What others declare about their own tools does not count. */
export function kindOf(tool: RegisteredTool | undefined): ToolKind {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  return access ? kinds[access.kind] : "other";
}

/** The file that a call of a system tool names, for editors that follow along. */
export function callLocations(tool: RegisteredTool | undefined, text: string, cwd: string): ToolCallLocation[] {
  const access = tool?.scope === "system" ? tool.schema.ikigai?.access : undefined;
  if (!access || !("path" in access) || kinds[access.kind] === "search") return [];
  const path = parseObject(text)?.[access.path];
  return typeof path === "string" ? [{ path: resolve(cwd, path) }] : [];
}

/** A change for the editor's own view of differences. */
export interface EditDiff {
  readonly type: "diff";
  /** Absolute. */
  readonly path: string;
  /** Null if the file does not exist. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** Larger files get no diff, in bytes: both texts go into one message. */
const maxBytes = 1_048_576;

/**
 * The change that a call of the system's `file_write` or `file_edit` would make now. Undefined for other calls, and if the
 * change cannot be shown exactly. Runs nothing.
 */
export function editDiff(tool: RegisteredTool, call: JsonObject, cwd: string): EditDiff | undefined {
  const args = underOwnNames(tool.name, call);
  const { file_path: given, content } = args;
  if (tool.scope !== "system" || tool.launcher || typeof given !== "string") return undefined;
  const path = resolve(cwd, given);
  const oldText = readText(path);
  if (oldText === undefined) return undefined;
  if (tool.name === "file_write" && typeof content === "string")
    return { type: "diff", path, oldText, newText: content };
  if (tool.name !== "file_edit" || oldText === null) return undefined;
  const newText = edited(oldText, args);
  return newText === undefined ? undefined : { type: "diff", path, oldText, newText };
}

function edited(text: string, args: JsonObject): string | undefined {
  const { old_string: before, new_string: after } = args;
  if (typeof before !== "string" || typeof after !== "string" || before === "") return undefined;
  const pieces = text.split(before);
  const isClear = pieces.length === 2 || (pieces.length > 2 && args.replace_all === true);
  return isClear ? pieces.join(after) : undefined;
}

/** Null if there is no file, undefined if it is not a text of reasonable size. */
function readText(path: string): string | null | undefined {
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return null;
    if (size > maxBytes) return undefined;
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readRegularFile(path));
  } catch {
    return undefined;
  }
}
