import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AgentError } from "../model/agent-error.ts";
import { sessionsDir } from "./open-session-log.ts";

const suffix = ".jsonl";

/**
 * The file of a session; the beginning of its id is enough if no other begins so.
 *
 * @throws AgentError `session_not_found` or `session_ambiguous`.
 */
export function findSession(home: string, wanted: string): string {
  const directory = sessionsDir(home);
  const whole = join(directory, `${wanted}${suffix}`);
  if (basename(wanted) === wanted && existsSync(whole)) return whole;
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(suffix)) : [];
  const matches = names.filter((name) => wanted !== "" && name.startsWith(wanted));
  const [only, second] = matches;
  if (only === undefined) throw new AgentError("session_not_found", `There is no session ${wanted}.`);
  if (second !== undefined)
    throw new AgentError("session_ambiguous", `${matches.length} sessions begin with ${wanted}: give more of the id.`);
  return join(directory, only);
}
