// What users do with whole sessions: delete and archive them, write one as JSON, and read such a file as a new session.
import { closeSync, openSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { noUsage } from "@ikigai/models";
import { isJsonObject } from "@ikigai/protocol";
import type { Conversation } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { findSession, isSessionOpen } from "./finding/list-sessions.ts";
import { sessionCatalog } from "./finding/usage-catalog.ts";
import { isEnvelope, parseLine, type SessionEvent, type SessionLine } from "./log/events.ts";
import { agentsDir, archivedSuffix, filesDir, logSuffix, outputsDirOf, stateDirOf } from "./log/log.ts";
import { readKeptLines } from "./log/read-log.ts";
import { startConversation } from "./open.ts";

/**
 * Deletes a session with its files and the sessions of its agents. What undo has saved of a project stays with the project.
 *
 * @throws AgentError `session_open` if a running process has it open; as `findSession` does.
 */
export function deleteSession(home: string, id: string): void {
  requireClosed(home, id);
  const own = sessionCatalog(home).filter(({ parent }) => parent?.session === id);
  const log = findSession(home, id);
  // The log last: what a crash leaves is still a session.
  for (const directory of [filesDir(log), outputsDirOf(log), stateDirOf(log), agentsDir(log)])
    rmSync(directory, { recursive: true, force: true });
  for (const file of [`${log}.lock`, markOf(log), log]) rmSync(file, { force: true });
  for (const agent of own) deleteSession(home, agent.id);
}

function requireClosed(home: string, id: string): void {
  if (isSessionOpen(home, id)) throw new AgentError("session_open", `Session ${id} is open in another ikigai.`);
}

function markOf(log: string): string {
  return log.slice(0, -logSuffix.length) + archivedSuffix;
}

/** Leaves a session out of the lists, or puts it back. @throws the system's error; as `findSession` does. */
export function archiveSession(home: string, id: string, isArchived: boolean): void {
  const mark = markOf(findSession(home, id));
  if (isArchived) closeSync(openSync(mark, "a", 0o600));
  else rmSync(mark, { force: true });
}

/** The log of a session that is only read, with where it belongs. */
export interface StoredSession {
  readonly id: string;
  readonly cwd: string;
  readonly name: string;
  readonly lines: readonly SessionLine[];
}

/** Reads the lines of a session that count. @throws the system's error; as `findSession` does. */
export function readStoredSession(home: string, id: string): StoredSession {
  const path = findSession(home, id);
  const session = sessionCatalog(home).find((one) => one.path === path);
  const lines = [...readKeptLines({ path, unwritten: [] })];
  return { id: basename(path, logSuffix), cwd: session?.cwd ?? "", name: session?.name ?? "", lines };
}

/** The name and the version of the format, in the file itself. */
const format = "ikigai-session-1";

/** A session as JSON, which `importSession` reads. */
export function sessionJson({ id, cwd, name, lines }: StoredSession): string {
  return JSON.stringify({ format, id, cwd, name, lines });
}

/** Where the page of a shared session has its JSON. Nothing runs it. */
const dataStart = '<script type="application/json" id="ikigai-session">';
const dataEnd = "</script>";

/** The part of a page that `importSession` reads. */
export function dataElement(session: StoredSession): string {
  return `${dataStart}${sessionJson(session).replaceAll("<", "\\u003c")}${dataEnd}`;
}

/**
 * Makes a new session of a file that was exported as JSON, or shared as a page. The file may come from anyone: only messages, answers, and calls with
 * their results become part of the session; no instructions for the model, no files, no settings and no costs.
 *
 * @throws AgentError `session_unreadable` if it is no such file.
 */
export function importSession(text: string, place: { readonly home: string; readonly cwd: string }): Conversation {
  const start = text.indexOf(dataStart);
  const json = start < 0 ? text : text.slice(start + dataStart.length, text.indexOf(dataEnd, start));
  const data = parsed(json);
  const events = data?.lines.flatMap((line) => eventOf(line) ?? []) ?? [];
  if (!data || !events.some(({ type }) => type === "user"))
    throw new AgentError(
      "session_unreadable",
      "This file has no session. Sessions come from ikigai sessions share or export --json.",
    );
  const conversation = startConversation({ ...place, secrets: [] });
  const { name } = data;
  for (const event of events) conversation.log.append(event);
  if (typeof name === "string" && isName(name)) conversation.log.append({ type: "name", name });
  const { problem } = conversation.log;
  conversation.log.close();
  if (problem !== undefined) throw new AgentError("session_not_saved", problem);
  return conversation;
}

function parsed(json: string): { readonly name: unknown; readonly lines: readonly unknown[] } | undefined {
  try {
    const data: unknown = JSON.parse(json);
    if (!isJsonObject(data) || data.format !== format || !Array.isArray(data.lines)) return undefined;
    return { name: data.name, lines: data.lines };
  } catch {
    return undefined;
  }
}

/** The longest name, in characters. */
const maxNameLength = 60;

/** Whether a text can be the name of a session: one line, and not like an ID or an option. */
export function isName(name: string): boolean {
  return (
    name.trim() === name && /^[^\p{C}-][^\p{C}]*$/u.test(name) && !/^\d{8}-/.test(name) && name.length <= maxNameLength
  );
}

/** What an imported line becomes; `undefined` for one that is not part of the conversation. */
function eventOf(value: unknown): (SessionEvent & { readonly time: string }) | undefined {
  const line = parseLine(JSON.stringify(value));
  if (!line || typeof line.time !== "string") return undefined;
  const { time, type } = line;
  switch (type) {
    case "user":
      return { time, type, text: line.text };
    case "text":
      return { time, type, text: line.text };
    case "tool_call": {
      const { id, name, arguments: args } = line;
      return { time, type, id, name, arguments: args };
    }
    case "step_end":
      return { time, type, model: line.model, finish: line.finish, usage: noUsage };
    case "tool_result": {
      const { id, name, json, durationMs } = line;
      return isEnvelope(json) ? { time, type, id, name, json, durationMs } : undefined;
    }
    case "turn_end":
      return { time, type, reason: line.reason, ...(line.error !== undefined && { error: line.error }) };
    default:
      return undefined;
  }
}
