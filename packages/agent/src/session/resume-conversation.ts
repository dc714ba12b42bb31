import { basename, join } from "node:path";
import { cancelledJson } from "./cancelled-json.ts";
import type { Conversation } from "./conversation.ts";
import { copySession } from "./copy-session.ts";
import { findSession } from "./find-session.ts";
import { describe, openSessionLog, sessionsDir } from "./open-session-log.ts";
import { type ReadSession, readSession } from "./read-session.ts";
import { readStored } from "./session-files.ts";
import { lockSession } from "./session-lock.ts";
import { noLog, type SessionLog } from "./session-log.ts";
import { newSessionId, type StartOptions } from "./start-conversation.ts";

/** A resumed conversation. */
export interface ResumedConversation {
  readonly conversation: Conversation;
  /** What was repaired or is missing, for the user: unreadable lines, unfinished calls, a copy. */
  readonly notices: readonly string[];
}

/**
 * Resumes a session; a unique beginning of its ID is enough. Calls without a result get a cancelled one. If another process
 * has the session open, makes a copy with a new ID.
 *
 * @throws AgentError `session_not_found`, `session_ambiguous`, or `session_unreadable` with what to do.
 */
export function resumeConversation({
  home,
  id: wanted,
  cwd: here,
  secrets = [],
}: StartOptions & { readonly id: string }): ResumedConversation {
  const directory = sessionsDir(home);
  const path = findSession(home, wanted);
  // The file name is the session's ID, even if the header line is damaged.
  const id = basename(path, ".jsonl");
  const session = { ...readStored(path, home, readSession), id };
  const notices = noticesOf(session);
  const { log, id: writtenId } = openLog(directory, path, session, secrets);
  if (writtenId !== id) notices.push(`Another process has this session open; this is a copy: ${writtenId}.`);
  for (const { id: callId, name } of session.unanswered) {
    session.messages.push({ role: "tool", id: callId, name, json: cancelledJson });
    log.append({ type: "tool_result", id: callId, name, json: cancelledJson, durationMs: 0 });
  }
  const { cwd, messages, prompt, introduced, usage, measured, turns, lastUse } = session;
  const state = { messages, prompt, introduced, usage, measured, turns, ...(lastUse && { lastUse }) };
  const conversation = { id: writtenId, cwd: cwd || here, log, ...state };
  return { conversation, notices };
}

function openLog(
  directory: string,
  path: string,
  session: ReadSession,
  secrets: readonly string[],
): { log: SessionLog; id: string } {
  try {
    const lock = lockSession(`${path}.lock`);
    if (lock) return { log: openSessionLog({ path, secrets, lock, lines: session.nextSeq }), id: session.id };
    const id = newSessionId();
    const copy = join(directory, `${id}.jsonl`);
    const lines = copySession(path, copy, { type: "session", version: 1, id, cwd: session.cwd });
    const own = lockSession(`${copy}.lock`);
    return { log: openSessionLog({ path: copy, secrets, lock: own, lines }), id };
  } catch (error) {
    return { log: noLog(describe(error)), id: session.id };
  }
}

function noticesOf({ badLines, lostLines, torn, unanswered }: ReadSession): string[] {
  const notices: string[] = [];
  if (badLines > 0) notices.push(`Skipped ${badLines} unreadable lines of the session.`);
  if (lostLines > 0) notices.push(`${lostLines} lines of the session are lost because they could not be written.`);
  if (torn) notices.push("Dropped the session's last line, which was incomplete.");
  if (unanswered.length > 0) {
    notices.push(`Calls that had not finished: ${unanswered.map(({ name }) => name).join(", ")}.`);
  }
  return notices;
}
