import { join } from "node:path";
import { copySession } from "./copy-session.ts";
import { findSession } from "./find-session.ts";
import { makeSessionsDir } from "./open-session-log.ts";
import { readSession } from "./read-session.ts";
import { type ResumedConversation, resumeConversation } from "./resume-conversation.ts";
import { newSessionId, type StartOptions } from "./start-conversation.ts";

/** What is copied, and for whom. */
export interface ForkOptions extends StartOptions {
  /** The session that is copied; the beginning of its id is enough. */
  readonly id: string;
  /** The `seq` of a user's message: the copy ends before it. Without it, everything is copied. */
  readonly before?: number;
}

/**
 * Makes a session of its own out of another one, from any of its messages.
 *
 * @throws Error when there is no such session, or the copy cannot be made.
 */
export function forkConversation({ id, before, ...place }: ForkOptions): ResumedConversation {
  const from = findSession(place.home, id);
  const { cwd } = readSession(from);
  const copyId = newSessionId();
  const to = join(makeSessionsDir(place.home), `${copyId}.jsonl`);
  copySession(from, to, { type: "session", version: 1, id: copyId, cwd }, before);
  return resumeConversation({ ...place, id: copyId });
}
