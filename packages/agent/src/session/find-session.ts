import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { sessionsDir } from "./open-session-log.ts";

const suffix = ".jsonl";

/** Thrown when a session is asked for that cannot be told or read; the message is one sentence for the user. */
export class SessionError extends Error {
  override readonly name = "SessionError";
}

/**
 * The file of a session; the beginning of its id is enough if no other begins so.
 *
 * @throws SessionError when there is none, or more than one.
 */
export function findSession(home: string, wanted: string): string {
  const directory = sessionsDir(home);
  const whole = join(directory, `${wanted}${suffix}`);
  if (basename(wanted) === wanted && existsSync(whole)) return whole;
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(suffix)) : [];
  const matches = names.filter((name) => wanted !== "" && name.startsWith(wanted));
  const [only, second] = matches;
  if (only === undefined) throw new SessionError(`There is no session ${wanted}.`);
  if (second !== undefined)
    throw new SessionError(`${matches.length} sessions begin with ${wanted}: give more of the id.`);
  return join(directory, only);
}
