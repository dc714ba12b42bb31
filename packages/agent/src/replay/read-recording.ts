import type { AssistantPart } from "@ikigai/models";
import { AgentError } from "../agent-error.ts";
import { findSession } from "../session/find-session.ts";
import { listSessions, requireReadable } from "../session/list-sessions.ts";
import { findUndone, parseLine } from "../session/parse-line.ts";
import { readLines } from "../session/read-kept-lines.ts";
import type { SessionLine } from "../session/session-event.ts";
import { readStored } from "../session/session-files.ts";
import type { RecordedCall, RecordedQuestion, RecordedStep, Recording } from "./recorded-answers.ts";

/** Selects a session. */
export interface WantedRecording {
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
  if (id !== undefined) return /\/|\.jsonl$/.test(id) ? id : findSession(home, id);
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
