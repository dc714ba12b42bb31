import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sessionsDir } from "./open-session-log.ts";

/** The suffix of a session log's file name, after the session's ID. */
export const logSuffix = ".jsonl";

/** Returns the logs of all sessions; empty if their directory cannot be read. */
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
