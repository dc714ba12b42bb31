import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { AgentError } from "../agent-error.ts";
import { isHeld, logSuffix, sessionFiles, sessionsDir } from "./session-files.ts";

/** The ID of a session, of which a unique beginning is enough. @throws AgentError as `findSession`. */
export function sessionId(home: string, wanted: string): string {
  return basename(findSession(home, wanted), logSuffix);
}

/**
 * Returns a session's file; a unique beginning of the ID is enough.
 *
 * @throws AgentError `session_not_found` or `session_ambiguous`; `session_unreadable` if the sessions cannot be listed.
 */
export function findSession(home: string, wanted: string): string {
  const whole = join(sessionsDir(home), `${wanted}${logSuffix}`);
  if (basename(wanted) === wanted && existsSync(whole)) return whole;
  const matches = sessionFiles(home).filter((path) => wanted !== "" && basename(path).startsWith(wanted));
  const [only, second] = matches;
  if (only === undefined) throw new AgentError("session_not_found", `No session ${wanted} found.`);
  if (second !== undefined)
    throw new AgentError("session_ambiguous", `${matches.length} sessions begin with ${wanted}. Give more of the ID.`);
  return only;
}

/**
 * Whether a running process, including this one, has a session open.
 *
 * @throws as `findSession` does.
 */
export function isSessionOpen(home: string, id: string): boolean {
  return isHeld(`${findSession(home, id)}.lock`);
}
