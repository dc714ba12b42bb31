import {
  type Conversation,
  forkConversation,
  isSessionOpen,
  listSessions,
  type ResumedConversation,
  resumeConversation,
  type StartOptions,
  startConversation,
} from "@ikigai/agent/internal";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import type { SessionFlags } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";

/**
 * The conversation that the command line wants: a new one, or one to go on with.
 *
 * @throws UsageError when there is no such session, or another ikigai has it open.
 */
export function openConversation(
  { session, isFork = false }: Pick<SessionFlags, "session" | "isFork">,
  place: StartOptions,
): { readonly conversation: Conversation; readonly notices: readonly string[] } {
  if (session === undefined || session === "pick") return { conversation: startConversation(place), notices: [] };
  const id = session === "last" ? listSessions(place.home, place.cwd)[0]?.id : session.id;
  if (id === undefined)
    throw new UsageError("Expected a session of this directory to go on with, there is none. Start one: ikigai");
  try {
    return openSession(id, isFork, place);
  } catch (error) {
    if (!(error instanceof IkigaiError) || error instanceof UsageError) throw error;
    throw new UsageError(`${error.message} ikigai --resume shows those there are.`);
  }
}

/** Nobody goes on in a session that somebody else writes: two histories would be mixed. */
function openSession(id: string, isFork: boolean, place: StartOptions): ResumedConversation {
  if (isFork) return forkConversation({ ...place, id });
  if (isSessionOpen(place.home, id)) {
    throw new UsageError(`Expected a session that nobody has open, got ${id}. For a copy of it: --resume ${id} --fork`);
  }
  return resumeConversation({ ...place, id });
}
