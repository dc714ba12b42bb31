import type { AssistantPart } from "../model/message.ts";
import { findSession, SessionError } from "../session/find-session.ts";
import { listSessions } from "../session/list-sessions.ts";
import { readLines } from "../session/read-lines.ts";
import type { SessionLine } from "../session/session-event.ts";
import type { RecordedCall, RecordedStep, Recording } from "./recording.ts";

export interface WantedRecording {
  /** The user's directory; sessions are kept below it. */
  readonly home: string;
  /**
   * A session's id, or the beginning of it if no other begins so; or the path of a session's file, which is what holds a
   * slash or ends in `.jsonl`. Without one, the session of `cwd` that changed last.
   */
  readonly id?: string | undefined;
  readonly cwd: string;
}

/**
 * Reads what happened in a session. Lines that cannot be read, and those of a later version, are passed over.
 *
 * @throws SessionError when there is no such session, or its file is none.
 */
export function readRecording(wanted: WantedRecording): Recording {
  const path = pathOf(wanted);
  const reading: Reading = { calls: new Map(), steps: [], parts: [] };
  try {
    for (const line of readLines(path)) {
      const event = parse(line);
      if (event) take(reading, event);
    }
  } catch (error) {
    throw new SessionError(`The session ${path} cannot be read: ${(error as Error).message}`);
  }
  const { header, firstMessage, calls, steps } = reading;
  if (!header) throw new SessionError(`${path} is not the file of a session: it does not begin with one.`);
  return { ...header, ...(firstMessage !== undefined && { firstMessage }), calls: [...calls.values()], steps };
}

function pathOf({ home, id, cwd }: WantedRecording): string {
  if (id !== undefined) return /\/|\.jsonl$/.test(id) ? id : findSession(home, id);
  const [last] = listSessions(home, cwd);
  if (!last) throw new SessionError(`There is no session of ${cwd} yet.`);
  return findSession(home, last.id);
}

/** What has been read so far. */
interface Reading {
  header?: { readonly id: string; readonly cwd: string };
  firstMessage?: string;
  /** By the call's id. */
  readonly calls: Map<string, RecordedCall>;
  readonly steps: RecordedStep[];
  parts: AssistantPart[];
}

function parse(line: string): SessionLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "type" in value ? (value as SessionLine) : undefined;
  } catch {
    return undefined;
  }
}

function take(reading: Reading, event: SessionLine): void {
  const { calls } = reading;
  switch (event.type) {
    case "session":
      reading.header ??= { id: event.id, cwd: event.cwd };
      return;
    case "user":
      reading.parts = [];
      reading.firstMessage ??= event.text;
      return;
    case "text":
    case "reasoning":
      reading.parts.push({ type: event.type, text: event.text, ...metadataOf(event) });
      return;
    case "tool_call": {
      const { type, id, name, arguments: args, time } = event;
      reading.parts.push({ type, id, name, arguments: args, ...metadataOf(event) });
      calls.set(id, { id, name, arguments: args.trim() === "" ? "{}" : args, time: new Date(time) });
      return;
    }
    case "step_end": {
      const { model, finish, usage } = event;
      reading.steps.push({ parts: reading.parts, model, finish, usage });
      reading.parts = [];
      return;
    }
    case "tool_start": {
      const { type, seq, time, id, ...start } = event;
      change(calls, id, { start });
      return;
    }
    case "tool_result":
      change(calls, event.id, { result: { json: event.json, durationMs: event.durationMs } });
      return;
  }
}

function metadataOf({ metadata }: Pick<AssistantPart, "metadata">): Pick<AssistantPart, "metadata"> {
  return metadata ? { metadata } : {};
}

/** The first result counts, as it does for the conversation. */
function change(calls: Map<string, RecordedCall>, id: string, more: Pick<RecordedCall, "start" | "result">): void {
  const call = calls.get(id);
  if (call) calls.set(id, { ...more, ...call });
}
