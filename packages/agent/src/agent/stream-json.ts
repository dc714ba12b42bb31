import { toKept, type Usage } from "@ikigai/models";
import { argumentsJson, jsonObject, onOneLine } from "@ikigai/system";
import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";

/** A call and its result. */
interface CallRecord {
  readonly name: string;
  readonly arguments: string;
  /** The envelope's exact text. */
  envelope: string;
}

/** The report of a task: the lines of `stream-json`, one for each event, or the one object of `json`. */
export class TaskReport {
  /** The calls so far, by ID. */
  readonly calls = new Map<string, CallRecord>();
  readonly #sessionId: string | undefined;

  /** @param sessionId absent if the task could not start, and no session was resumed. */
  constructor(sessionId: string | undefined) {
    this.#sessionId = sessionId;
  }

  /** The first line. */
  start({ model, cwd, instructions }: TaskStart): string {
    return JSON.stringify({ type: "session", session_id: this.#sessionId, model, cwd, instructions });
  }

  /** Takes each event; returns its line. */
  line(event: Exclude<AgentEvent, { readonly type: "turn_end" }>): string {
    if (event.type === "tool_call") {
      this.calls.set(event.id, { name: event.name, arguments: event.arguments, envelope: "null" });
    }
    if (event.type === "tool_result") {
      const call = this.calls.get(event.id);
      if (call) call.envelope = event.json;
    }
    return eventLine(event);
  }

  /** The last line. */
  end(end: TaskEnd): string {
    return jsonObject({ type: '"result"', ...this.#result(end) });
  }

  /** The object that `--output-format json` prints. */
  json(end: TaskEnd): string {
    return jsonObject(this.#result(end));
  }

  #result({ reason, text, steps, usage, structured, error }: TaskEnd) {
    const list = [...this.calls.values()].map(({ name, arguments: args, envelope }) =>
      jsonObject({ name: JSON.stringify(name), arguments: argumentsJson(args), envelope }),
    );
    return {
      reason: JSON.stringify(reason),
      result: JSON.stringify(text),
      ...(structured !== undefined && { structured: onOneLine(structured) }),
      ...(this.#sessionId !== undefined && { session_id: JSON.stringify(this.#sessionId) }),
      turns: String(steps),
      usage: usageJson(usage),
      tool_calls: `[${list.join(",")}]`,
      ...(error && { error: JSON.stringify(error) }),
    };
  }
}

/** What the first line of `stream-json` names. */
export interface TaskStart {
  /** `provider/model`; null if the task could not start. */
  readonly model: string | null;
  /** The directory the session started in. */
  readonly cwd: string;
  /** The instruction files that the model gets. */
  readonly instructions: readonly string[];
}

/** The line of `--output-format stream-json` for an event; the end is `resultLine`. */
function eventLine(event: Exclude<AgentEvent, { readonly type: "turn_end" }>): string {
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

function head({ type, id, name }: { type: string; id: string; name: string }) {
  return { type: JSON.stringify(type), id: JSON.stringify(id), name: JSON.stringify(name) };
}

function usageJson({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): string {
  return JSON.stringify({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  });
}
