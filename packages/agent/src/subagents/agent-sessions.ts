import { join } from "node:path";
import { sessionsDir } from "../session/open-session-log.ts";
import { logSuffix } from "../session/session-files.ts";
import { readSlots } from "./slots.ts";

/** Returns the sessions of the agents that a session has started, by the call that started each. */
export function agentSessions(home: string, session: string): ReadonlyMap<string, string> {
  const slots = readSlots(join(sessionsDir(home), `${session}${logSuffix}`));
  return new Map(slots.flatMap(({ call, child }) => (child ? [[call, child.session] as const] : [])));
}
