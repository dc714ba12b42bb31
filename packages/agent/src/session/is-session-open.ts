import { findSession } from "./find-session.ts";
import { isHeld } from "./session-lock.ts";

/**
 * Whether a running process, including this one, has a session open.
 *
 * @throws as `findSession` does.
 */
export function isSessionOpen(home: string, id: string): boolean {
  return isHeld(`${findSession(home, id)}.lock`);
}
