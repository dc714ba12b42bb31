import type { AgentEvent, TurnEnd, Usage } from "@ikigai/agent/internal";
import { parseObject } from "../render/json.ts";

/** A call and its result. */
interface CallRecord {
  readonly name: string;
  readonly arguments: string;
  /** The envelope's exact text. */
  envelope: string;
}

/** The calls of a task so far. */
export interface Report {
  readonly sessionId: string;
  readonly calls: Map<string, CallRecord>;
}

/** Records an event for the final report. */
export function record({ calls }: Report, event: AgentEvent): void {
  if (event.type === "tool_call") {
    calls.set(event.id, { name: event.name, arguments: event.arguments, envelope: "null" });
  }
  if (event.type === "tool_result") {
    const call = calls.get(event.id);
    if (call) call.envelope = event.json;
  }
}

/** Why calls were denied, a line each: the user can allow them. */
export function refusals({ calls }: Report): string[] {
  const told = [...calls.values()].flatMap(({ name, envelope }) => {
    const { error_code: code, error } = parseObject(envelope) ?? {};
    return code === "TOOL_DENIED" ? [`${name}: ${error}`] : [];
  });
  return [...new Set(told)];
}

/** The object that `--output-format json` prints. */
export function resultJson({ sessionId, calls }: Report, { text, steps, usage, error }: TurnEnd): string {
  const list = [...calls.values()].map(({ name, arguments: args, envelope }) =>
    object({ name: JSON.stringify(name), arguments: argumentsJson(args), envelope }),
  );
  return object({
    result: JSON.stringify(text),
    session_id: JSON.stringify(sessionId),
    turns: String(steps),
    usage: usageJson(usage),
    tool_calls: `[${list.join(",")}]`,
    ...(error && { error: JSON.stringify(error) }),
  });
}

/** What `--output-format stream-json` prints for an event; undefined for the end, which the result reports. */
export function eventJson(event: AgentEvent): string | undefined {
  const { type } = event;
  switch (type) {
    case "turn_end":
      return undefined;
    case "tool_call":
      return object({ ...head(event), arguments: argumentsJson(event.arguments) });
    case "tool_result":
      return object({ ...head(event), envelope: event.json, duration_ms: String(Math.round(event.durationMs)) });
    case "step_end":
      return object({ type: '"step_end"', finish: JSON.stringify(event.finish), usage: usageJson(event.usage) });
    default:
      return JSON.stringify(event);
  }
}

function head({ type, id, name }: { type: string; id: string; name: string }) {
  return { type: JSON.stringify(type), id: JSON.stringify(id), name: JSON.stringify(name) };
}

/** The arguments as the model wrote them if they are a JSON object, otherwise as a string. */
export function argumentsJson(text: string): string {
  if (parseObject(text) === undefined) return JSON.stringify(text);
  // JSON strings contain no line breaks, so these are only white space.
  return text.trim() === "" ? "{}" : text.trim().replace(/[\r\n]+/g, " ");
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
export function object(fields: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(",")}}`;
}
