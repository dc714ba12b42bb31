import type { HostApi, Outcome } from "@ikigai/core";
import { failedOutcome } from "@ikigai/core/internal";
import type { AssistantPart, ShownVisual, Usage } from "@ikigai/models";
import { type Model, ModelError, type ModelEvent, readFinishReason } from "@ikigai/models";
import { type AskResult, type Envelope, isJsonObject, type JsonValue } from "@ikigai/protocol";
import type { SessionEvent, ToolStart } from "../session/session-event.ts";

/** A recorded outcome, with what was drawn, as the log has it. */
export interface RecordedOutcome extends Outcome {
  readonly visuals?: readonly ShownVisual[];
}

/** Answers calls with recorded results, so that nothing runs. */
export interface RecordedAnswers {
  /**
   * Returns the result of the first unused recorded call of this tool with these arguments; without one, a failure with
   * the code `TOOL_UNAVAILABLE`.
   */
  answer(name: string, args: string): RecordedOutcome;
}

/** Returns the results of a session's calls. Whitespace and key order in arguments do not matter. */
export function recordedAnswers({ id, calls }: Pick<Recording, "id" | "calls">): RecordedAnswers {
  const results = new Map<string, NonNullable<RecordedCall["result"]>[]>();
  for (const { name, arguments: args, typed, result, shown = [] } of calls) {
    const key = keyOf(name, args);
    if (!result || typed) continue;
    const visuals = [...shown, ...(result.visuals ?? [])];
    const seen = { ...result, ...(visuals.length > 0 && { visuals }) };
    results.set(key, [...(results.get(key) ?? []), seen]);
  }
  return {
    answer(name, args) {
      const waiting = results.get(keyOf(name, args));
      const result = waiting?.shift();
      const envelope = result && envelopeOf(result.json);
      if (envelope) return { ...result, envelope, notes: [] };
      const what = result
        ? `a damaged result of the call of '${name}' with these arguments`
        : waiting
          ? `no other call of '${name}' with these arguments`
          : `no call of '${name}' with these arguments`;
      return failedOutcome("TOOL_UNAVAILABLE", `Nothing was run: the replayed session ${id} has ${what}.`);
    },
  };
}

/** The file may contain anything. */
function envelopeOf(json: string): Envelope | undefined {
  try {
    const value: Partial<Envelope> | null = JSON.parse(json);
    const isEnvelope = value?.tool_success === false || (value?.tool_success === true && isJsonObject(value.result));
    return isEnvelope ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(name: string, args: string): string {
  try {
    return `${name} ${JSON.stringify(sorted(JSON.parse(args)))}`;
  } catch {
    return `${name} ${args}`;
  }
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The model of a session: repeats its recorded responses one by one, regardless of the prompt. Needs no network and no key.
 */
export function recordedModel({ id, steps }: Pick<Recording, "id" | "steps">): Model {
  let next = 0;
  return {
    id: steps[0]?.model ?? `recorded/${id}`,
    async *stream() {
      const step = steps[next++];
      if (!step) {
        const text = `The replayed session ${id} has only ${steps.length} responses, and the model was asked for another one.`;
        throw new ModelError("configuration", text);
      }
      yield* say(step);
    },
  };
}

function* say({ parts, finish, usage }: RecordedStep): Generator<ModelEvent> {
  for (const [index, part] of parts.entries()) {
    if (part.type === "tool_call") {
      yield { type: "tool_call_start", id: part.id, name: part.name };
      yield part;
      continue;
    }
    const block = String(index);
    yield { type: part.type, text: part.text, block };
    if (part.metadata) yield { type: "metadata", block, metadata: part.metadata };
  }
  if (finish === "interrupted" || finish === "failed") {
    throw new ModelError("bad_stream", "The recorded response broke off here.");
  }
  yield { type: "finish", reason: readFinishReason(finish), usage };
}

/**
 * Returns a host that answers the questions of a repeated call as the user did then, in any order. There is no user for a question
 * that was not asked then, and none at all if the call asked nothing. What the call shows is not drawn.
 */
export function recordedHost({ questions = [], shown = [] }: Pick<RecordedCall, "questions" | "shown">): HostApi {
  const waiting = [...questions];
  return {
    ...(waiting.length > 0 && answering(waiting)),
    // No one sees it, but the tool must take the same path.
    ...(shown.length > 0 && { show: async () => ({ shown: true }) }),
  };
}

function answering(waiting: RecordedQuestion[]): HostApi {
  return {
    async ask({ question }) {
      const index = waiting.findIndex((recorded) => recorded.question === question);
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.result;
    },
  };
}

/** A call of a session and its result. */
export interface RecordedCall {
  readonly id: string;
  /** Whether the user made it, not the model. */
  readonly typed?: true;
  readonly name: string;
  /** As the tool received them. */
  readonly arguments: string;
  /** When it was made. */
  readonly time: Date;
  /** Absent if no executable was started: denied, interrupted before its turn, or no such tool. */
  readonly start?: ToolStart;
  /** The questions that it put to the user, in order, and their answers. */
  readonly questions?: readonly RecordedQuestion[];
  /** Absent if the session ended first. */
  readonly result?: {
    readonly json: string;
    readonly durationMs: number;
    /** The file with the whole result, if it was cut. */
    readonly overflowFile?: string;
    /** What was drawn, without what the tool showed during the call. */
    readonly visuals?: readonly ShownVisual[];
  };
  /** What the tool showed during the call. */
  readonly shown?: readonly ShownVisual[];
}

/** A question of a tool and what the user said. */
export interface RecordedQuestion {
  readonly question: string;
  readonly result: AskResult;
}

/** One response of the model. */
export interface RecordedStep {
  readonly parts: readonly AssistantPart[];
  readonly model: string;
  readonly finish: Extract<SessionEvent, { type: "step_end" }>["finish"];
  readonly usage: Usage;
}

/** A session in a form that can be inspected and replayed. */
export interface Recording {
  readonly id: string;
  /** The directory it started in. */
  readonly cwd: string;
  /** The session that it replays; absent if its calls ran. */
  readonly replayOf?: string;
  /** The user's first message; absent without one. */
  readonly firstMessage?: string;
  /** In the order they were made. */
  readonly calls: readonly RecordedCall[];
  readonly steps: readonly RecordedStep[];
}
