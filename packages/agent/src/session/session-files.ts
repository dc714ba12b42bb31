import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sessionsDir } from "./open-session-log.ts";

/** What the name of a session's log ends with; before it stands the session's ID. */
export const logSuffix = ".jsonl";

/** The logs of all sessions; none when their directory cannot be read. */
export function sessionFiles(home: string): string[] {
  const directory = sessionsDir(home);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(logSuffix))
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}
