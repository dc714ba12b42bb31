import { statSync } from "node:fs";
import { join } from "node:path";
import { configPath, readConfig } from "../config/load-config.ts";
import { sessionsDir } from "../session/open-session-log.ts";
import { sessionFiles } from "../session/session-files.ts";

/** What others may do with a file: the permissions of group and world. */
const anyAccess = 0o077;

/** That they may change it. */
const writeAccess = 0o022;

/**
 * Says, one sentence each, which of the user's private files others may read or change, and how to fix it. `config.json` is
 * private only when it holds a key; who may change it is a matter of `loadConfig`.
 *
 * @param isThorough also tells of a directory that others may only list, as `mkdir -p ~/.ikigai/tools` leaves it.
 */
export function privacyProblems(home: string, { isThorough = false } = {}): string[] {
  const sessions = sessionsDir(home);
  return [
    problemOf(home, 0o700, isThorough ? anyAccess : writeAccess),
    problemOf(join(home, "tools"), 0o700, writeAccess),
    problemOf(sessions, 0o700, anyAccess),
    ...sessionFiles(home).map((path) => problemOf(path, 0o600, anyAccess)),
    keyProblem(home),
  ].filter((problem) => problem !== undefined);
}

function keyProblem(home: string): string | undefined {
  const problem = problemOf(configPath(home), 0o600, anyAccess);
  return problem !== undefined && readConfig(home).holdsKey ? problem : undefined;
}

function problemOf(path: string, wanted: number, refused: number): string | undefined {
  let mode: number;
  try {
    mode = statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
  if ((mode & refused) === 0) return undefined;
  return `Other users can access ${path} (mode ${mode.toString(8)}). Run: chmod ${wanted.toString(8)} ${path}`;
}
