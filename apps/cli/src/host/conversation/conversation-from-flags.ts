// The conversation that the command line asks for: a new one, the last one, or one that is named, continued or copied.

import {
  AgentError,
  type Conversation,
  forkConversation,
  isSessionOpen,
  lastConversation,
  listSessions,
  namedSession,
  type ResumedConversation,
  requireReadable,
  resumeConversation,
  type SessionSummary,
  type StartOptions,
  sessionProblems,
  startConversation,
  takeUp,
} from "@ikigai/session";
import { realPathOf } from "@ikigai/system";
import type { SessionFlags } from "../../args/parse-argv.ts";

/**
 * Opens the conversation of the command line: a new one, or one to continue.
 *
 * @throws AgentError if there is no such session, it cannot be read or copied, or another ikigai has it open.
 */
export function conversationFromFlags(
  { session, isFork = false }: Pick<SessionFlags, "session" | "isFork">,
  place: StartOptions,
): { readonly conversation: Conversation; readonly notices: readonly string[] } {
  if (session === undefined || session === "pick") return { conversation: startConversation(place), notices: [] };
  const wanted = session === "last" ? lastSession(place)?.id : session.id;
  if (wanted === undefined) throw noSessions(place.home);
  try {
    const opened = openSession(namedSession(place.home, wanted), isFork, place);
    if (!place.isPrint) takeUp({ ...place, ...opened });
    if (session !== "last") return opened;
    // One of them may be the last.
    return { ...opened, notices: [...opened.notices, ...sessionProblems(place.home)] };
  } catch (error) {
    if (!(error instanceof AgentError) || !["session_not_found", "session_ambiguous"].includes(error.code)) throw error;
    const hasSessions = listSessions(place.home, place.cwd).length > 0;
    const advice = hasSessions ? "To choose one: ikigai --resume" : "No session was started in this directory.";
    throw new AgentError(error.code, `${error.message} ${advice}`);
  }
}

/** A program continues what it, or the user, did last; the user the conversation that they were in. */
function lastSession({ home, cwd, isPrint }: StartOptions): SessionSummary | undefined {
  return isPrint ? listSessions(home, cwd)[0] : lastConversation(home, cwd);
}

/** Why there is no session to continue. @throws AgentError `session_unreadable` if there is one that cannot be read. */
export function noSessions(home: string): AgentError {
  requireReadable(home);
  return new AgentError("session_not_found", "No session to continue in this directory. Start one: ikigai");
}

/** Opens a session, unless another process has it open: that would mix two histories. */
function openSession(id: string, isFork: boolean, place: StartOptions): ResumedConversation {
  if (isFork) return withMove(forkConversation({ ...place, id }), place);
  if (isSessionOpen(place.home, id)) {
    throw new AgentError(
      "session_open",
      `Session ${id} is open in another ikigai. To work on a copy: ikigai --resume ${id} --fork`,
    );
  }
  return withMove(resumeConversation({ ...place, id }), place);
}

/** Notices that the relative paths in a session mean other files now. */
function withMove({ conversation, notices }: ResumedConversation, { cwd }: StartOptions): ResumedConversation {
  const hasMoved = realPathOf(conversation.cwd) !== realPathOf(cwd);
  const text = `This session began in ${conversation.cwd}. It continues in ${cwd}, where its relative paths mean other files.`;
  return { conversation, notices: hasMoved ? [...notices, text] : notices };
}
