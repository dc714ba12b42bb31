// Answers a conversation from what another one has recorded: no model is asked, no tool runs.
import { failedOutcome, type HostApi, type Outcome } from "@ikigai/core";
import {
  type AssistantPart,
  type Model,
  ModelError,
  type ModelEvent,
  readFinishReason,
  type ShownVisual,
  type Usage,
} from "@ikigai/models";
import { type AskResult, type Envelope, isJsonObject, type JsonValue } from "@ikigai/protocol";
import { AgentError } from "./errors.ts";
import { findSession, listSessions, requireReadable } from "./finding/list-sessions.ts";
import { namedSession } from "./finding/usage-catalog.ts";
import { findUndone, parseLine, type SessionEvent, type SessionLine, type ToolStart } from "./log/events.ts";
import { readStored } from "./log/log.ts";
import { readLines } from "./log/read-log.ts";

/** A recorded outcome, with what was drawn, as the log has it. */
interface RecordedOutcome extends Outcome {
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
interface RecordedQuestion {
  readonly question: string;
  readonly result: AskResult;
}

/** One response of the model. */
interface RecordedStep {
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

/** Selects a session. */
interface WantedRecording {
  /** The user's directory, which contains the sessions. */
  readonly home: string;
  /**
   * A session's ID or its unique beginning, or the path of a session file, which contains a slash or ends in `.jsonl`.
   * Default: the last changed session of `cwd`.
   */
  readonly id?: string | undefined;
  readonly cwd: string;
}

/**
 * Reads a session's calls and answers. Skips unreadable lines and those of later versions.
 *
 * @throws AgentError `session_not_found`, `session_ambiguous` or `session_unreadable`.
 */
export function readRecording(wanted: WantedRecording): Recording {
  const path = pathOf(wanted);
  const reading: Reading = { calls: [], steps: [], parts: [] };
  readStored(path, wanted.home, () => {
    const isUndone = findUndone(readLines(path));
    let index = 0;
    for (const line of readLines(path)) {
      const event = parseLine(line);
      if (event) take(reading, event, isUndone(index));
      index++;
    }
  });
  const { header, firstMessage, calls, steps } = reading;
  if (!header)
    throw new AgentError("session_unreadable", `${path} is not a session file: it does not start with a session line.`);
  return { ...header, ...(firstMessage !== undefined && { firstMessage }), calls, steps };
}

function pathOf({ home, id, cwd }: WantedRecording): string {
  if (id !== undefined) return /\/|\.jsonl$/.test(id) ? id : findSession(home, namedSession(home, id));
  const [last] = listSessions(home, cwd);
  if (!last) {
    requireReadable(home);
    throw new AgentError(
      "session_not_found",
      `No session in ${cwd} yet. Conversations and ikigai -p are logged, ikigai tool call is not.`,
    );
  }
  return findSession(home, last.id);
}

/** The state while reading. */
interface Reading {
  header?: Pick<Recording, "id" | "cwd" | "replayOf">;
  firstMessage?: string;
  readonly calls: RecordedCall[];
  readonly steps: RecordedStep[];
  parts: AssistantPart[];
}

/** Calls that the user rewound did run, so they count; the messages do not. */
function take(reading: Reading, event: SessionLine, isUndone: boolean): void {
  const { calls } = reading;
  switch (event.type) {
    case "session":
      reading.header ??= { id: event.id, cwd: event.cwd, ...(event.replayOf && { replayOf: event.replayOf }) };
      return;
    case "user":
      reading.parts = [];
      if (!isUndone && !event.typed) reading.firstMessage ??= event.text;
      return;
    case "text":
    case "reasoning":
      reading.parts.push({ type: event.type, text: event.text, ...metadataOf(event) });
      return;
    case "tool_call": {
      const { type, id, name, arguments: args } = event;
      reading.parts.push({ type, id, name, arguments: args, ...metadataOf(event) });
      calls.push(madeOf(event));
      return;
    }
    case "typed_call":
      calls.push({ ...madeOf(event), typed: true });
      return;
    case "step_end": {
      const { model, finish, usage } = event;
      if (!isUndone) reading.steps.push({ parts: reading.parts, model, finish, usage });
      reading.parts = [];
      return;
    }
    case "tool_start": {
      const { type, seq, time, id, ...start } = event;
      complete(calls, id, { start });
      return;
    }
    case "question": {
      const result =
        "answer" in event && typeof event.answer === "string" ? { answer: event.answer } : { refused: true as const };
      const question: RecordedQuestion = { question: event.question, result };
      addTo(calls, event.id, ({ questions = [] }) => ({ questions: [...questions, question] }));
      return;
    }
    case "shown":
      addTo(calls, event.id, ({ shown = [] }) => ({ shown: [...shown, ...event.visuals] }));
      return;
    case "tool_result": {
      const { json, durationMs, overflowFile, visuals } = event;
      const more = { ...(overflowFile && { overflowFile }), ...(visuals && { visuals }) };
      complete(calls, event.id, { result: { json, durationMs, ...more } });
      return;
    }
  }
}

function madeOf({ id, name, arguments: args, time }: SessionLine & { type: "tool_call" | "typed_call" }): RecordedCall {
  return { id, name, arguments: args.trim() === "" ? "{}" : args, time: new Date(time) };
}

function metadataOf({ metadata }: Pick<AssistantPart, "metadata">): Pick<AssistantPart, "metadata"> {
  return metadata ? { metadata } : {};
}

/** Completes the last call with this ID; the first result counts, as in the conversation. */
function complete(calls: RecordedCall[], id: string, more: Pick<RecordedCall, "start" | "result">): void {
  const index = calls.findLastIndex((call) => call.id === id);
  const call = calls[index];
  if (call) calls[index] = { ...more, ...call };
}

function addTo(calls: RecordedCall[], id: string, more: (call: RecordedCall) => Partial<RecordedCall>): void {
  const index = calls.findLastIndex((call) => call.id === id);
  const call = calls[index];
  if (call) calls[index] = { ...call, ...more(call) };
}
