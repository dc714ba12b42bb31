import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isInside, readProblem } from "@ikigai/system";
import { AgentError, isSystemError } from "../model/agent-error.ts";
import { sessionsDir } from "./open-session-log.ts";

/** The suffix of a session log's file name, after the session's ID. */
export const logSuffix = ".jsonl";

/**
 * Returns the logs of all sessions.
 *
 * @throws AgentError `session_unreadable` if their directory exists and cannot be read.
 */
export function sessionFiles(home: string): string[] {
  const directory = sessionsDir(home);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(logSuffix))
      .map((name) => join(directory, name));
  } catch (error) {
    const reason = error as NodeJS.ErrnoException;
    if (reason.code === "ENOENT") return [];
    throw new AgentError("session_unreadable", `${directory} ${readProblem(reason, directory, home)}`);
  }
}

/**
 * Reads the log of a session, in the user's directory or elsewhere.
 *
 * @throws AgentError `session_unreadable` with what to do, if the system does not allow it; what `read` throws otherwise.
 */
export function readStored<Contents>(path: string, home: string, read: (path: string) => Contents): Contents {
  try {
    return read(path);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const all = isInside(path, home) ? home : undefined;
    throw new AgentError("session_unreadable", `The session ${path} ${readProblem(error, path, all)}`);
  }
}
