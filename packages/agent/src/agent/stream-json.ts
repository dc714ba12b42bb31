import { toKept, type Usage } from "@ikigai/models";
import { onOneLine, parseObject } from "@ikigai/system";
import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";

/** A call and its result. */
interface CallRecord {
  readonly name: string;
  readonly arguments: string;
  /** The envelope's exact text. */
  envelope: string;
}

/** The calls of a task so far. */
export interface Report {
  /** Absent if the task could not start, and no session was resumed. */
  readonly sessionId: string | undefined;
  readonly calls: Map<string, CallRecord>;
}

/** Records an event for the result. */
export function record({ calls }: Report, event: AgentEvent): void {
  if (event.type === "tool_call") {
    calls.set(event.id, { name: event.name, arguments: event.arguments, envelope: "null" });
  }
  if (event.type === "tool_result") {
    const call = calls.get(event.id);
    if (call) call.envelope = event.json;
  }
}

/** What the first line of `stream-json` names. */
export interface TaskStart {
  /** Absent if the task could not start, and no session was resumed. */
  readonly sessionId: string | undefined;
  /** `provider/model`; null if the task could not start. */
  readonly model: string | null;
  /** The directory the session started in. */
  readonly cwd: string;
  /** The instruction files that the model gets. */
  readonly instructions: readonly string[];
}

/** The first line of `--output-format stream-json`. */
export function sessionLine({ sessionId, model, cwd, instructions }: TaskStart): string {
  return JSON.stringify({ type: "session", session_id: sessionId, model, cwd, instructions });
}

/** The line of `--output-format stream-json` for an event; the end is `resultLine`. */
export function eventLine(event: Exclude<AgentEvent, { readonly type: "turn_end" }>): string {
  const { type } = event;
  switch (type) {
    case "tool_call":
      return jsonObject({ ...head(event), arguments: argumentsJson(event.arguments) });
    case "tool_start": {
      const { arguments: changed, ...start } = event;
      const fields = Object.entries(start).map(([name, value]) => [name, JSON.stringify(value)]);
      const given = changed !== undefined && { arguments: argumentsJson(changed) };
      return jsonObject({ ...Object.fromEntries(fields), ...given });
    }
    case "tool_result":
      return jsonObject({ ...head(event), envelope: event.json, duration_ms: String(Math.round(event.durationMs)) });
    case "shown":
      return JSON.stringify({ ...event, visual: toKept(event.visual) });
    case "step_end":
      return jsonObject({ type: '"step_end"', finish: JSON.stringify(event.finish), usage: usageJson(event.usage) });
    default:
      return JSON.stringify(event);
  }
}

/** How a task ended: a turn, or what kept it from starting. */
export type TaskEnd = Omit<TurnEnd, "error"> & {
  readonly error?: { readonly code: string; readonly message: string };
};

/** The last line of `--output-format stream-json`. */
export function resultLine(report: Report, end: TaskEnd): string {
  return jsonObject({ type: '"result"', ...resultFields(report, end) });
}

/** The object that `--output-format json` prints. */
export function resultJson(report: Report, end: TaskEnd): string {
  return jsonObject(resultFields(report, end));
}

function resultFields({ sessionId, calls }: Report, { reason, text, steps, usage, structured, error }: TaskEnd) {
  const list = [...calls.values()].map(({ name, arguments: args, envelope }) =>
    jsonObject({ name: JSON.stringify(name), arguments: argumentsJson(args), envelope }),
  );
  return {
    reason: JSON.stringify(reason),
    result: JSON.stringify(text),
    ...(structured !== undefined && { structured: onOneLine(structured) }),
    ...(sessionId !== undefined && { session_id: JSON.stringify(sessionId) }),
    turns: String(steps),
    usage: usageJson(usage),
    tool_calls: `[${list.join(",")}]`,
    ...(error && { error: JSON.stringify(error) }),
  };
}

function head({ type, id, name }: { type: string; id: string; name: string }) {
  return { type: JSON.stringify(type), id: JSON.stringify(id), name: JSON.stringify(name) };
}

/** The arguments as the model wrote them if they are a JSON object, otherwise as a string. */
export function argumentsJson(text: string): string {
  if (text.trim() === "") return "{}";
  return parseObject(text) === undefined ? JSON.stringify(text) : onOneLine(text.trim());
}

function usageJson({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): string {
  return JSON.stringify({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  });
}

/** A JSON object of values that are already JSON, so that the texts of tools and models stay unchanged. */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(",")}}`;
}
