import { join } from "node:path";
import { AgentError, isSystemError, systemMessage } from "../model/agent-error.ts";
import { carryState } from "./carry-state.ts";
import { copySession } from "./copy-session.ts";
import { findSession } from "./find-session.ts";
import { makeSessionsDir } from "./open-session-log.ts";
import { readSession } from "./read-session.ts";
import { type ResumedConversation, resumeConversation } from "./resume-conversation.ts";
import { readStored } from "./session-files.ts";
import { newSessionId, type StartOptions } from "./start-conversation.ts";

/** What to copy, and for whom. */
export interface ForkOptions extends StartOptions {
  /** The ID of the session to copy, or its unique beginning. */
  readonly id: string;
  /** The `seq` of a user message: the copy ends before it. Without it, everything is copied. */
  readonly before?: number;
}

/**
 * Copies a session into a new one, up to any of its messages.
 *
 * @throws AgentError `session_not_found`, `session_ambiguous`, `session_unreadable`, or `session_not_saved` if it cannot be copied.
 */
export function forkConversation({ id, before, ...place }: ForkOptions): ResumedConversation {
  const from = findSession(place.home, id);
  const { cwd } = readStored(from, place.home, readSession);
  const { parent } = place;
  const copyId = newSessionId();
  try {
    const to = join(makeSessionsDir(place.home), `${copyId}.jsonl`);
    copySession(from, to, { type: "session", version: 1, id: copyId, cwd, ...(parent && { parent }) }, before);
    carryState(from, to);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new AgentError("session_not_saved", `The session cannot be copied: ${systemMessage(error)}.`);
  }
  return resumeConversation({ ...place, id: copyId });
}
