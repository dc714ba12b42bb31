import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { ownerProblem, shellWord, statsOf, takingOver } from "@ikigai/system";
import { credentialsPath } from "../config/credentials.ts";
import { configPath, readConfig } from "../config/load-config.ts";
import { AgentError } from "../model/agent-error.ts";
import { sessionsDir } from "../session/open-session-log.ts";
import { sessionFiles } from "../session/session-files.ts";

/** The mode of a private directory. */
const directoryMode = 0o700;

/** Any permission for group or others. */
const anyAccess = 0o077;

/** Write permission for group or others. */
const writeAccess = 0o022;

/**
 * Lists the user's private files that others may read or change, one sentence each with the fix; or only the directory that belongs to
 * another user and cannot be used. `config.json` is private
 * only if it holds a key; `loadConfig` checks who may change it. Others may list the directory itself, as `mkdir -p ~/.ikigai/tools`
 * leaves it, because everything private in it has a mode of its own.
 */
export function privacyProblems(home: string): string[] {
  const sessions = sessionsDir(home);
  const owner = foreignProblem(home);
  if (owner !== undefined) return [owner];
  return [
    ...["", "tools", "hooks", "projects"].map((name) => problemOf(join(home, name), directoryMode, writeAccess)),
    problemOf(join(home, "data"), directoryMode, anyAccess),
    problemOf(join(home, "history.jsonl"), 0o600, anyAccess),
    problemOf(sessions, directoryMode, anyAccess),
    ...sessionsIn(home).map((path) => problemOf(path, 0o600, anyAccess)),
    keyProblem(home),
    problemOf(credentialsPath(home), 0o600, anyAccess),
  ].filter((problem) => problem !== undefined);
}

/** The first directory that belongs to another user and cannot be used, as after a start with sudo. */
function foreignProblem(home: string): string | undefined {
  for (const name of ["", "sessions", "cache", "data", "tools", "hooks", "projects"]) {
    const path = join(home, name);
    const needed = ["tools", "hooks"].includes(name) ? constants.R_OK : constants.W_OK;
    if (isDenied(path, needed | constants.X_OK)) return ownerProblem(path, home);
  }
  return undefined;
}

function isDenied(path: string, needed: number): boolean {
  // Without an exception for a directory that is missing.
  if (statsOf(path) === undefined) return false;
  try {
    accessSync(path, needed);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

/** None if their directory cannot be read: no session is saved then, which is reported as such. */
function sessionsIn(home: string): string[] {
  try {
    return sessionFiles(home);
  } catch (error) {
    if (error instanceof AgentError) return [];
    throw error;
  }
}

function keyProblem(home: string): string | undefined {
  const path = configPath(home);
  const problem = problemOf(path, 0o600, anyAccess);
  // A directory is reported where it is read.
  return problem !== undefined && statSync(path).isFile() && readConfig(home).holdsKey ? problem : undefined;
}

function problemOf(path: string, wanted: number, refused: number): string | undefined {
  const { mode, uid } = stateOf(path);
  if ((mode & refused) === 0) return undefined;
  if (wanted === directoryMode && !statSync(path).isDirectory())
    return `${path} is not a directory. Move it away, so that ikigai can create the directory.`;
  const what = (mode & writeAccess) === 0 ? "access" : "write to";
  const commands = [takingOver(path, uid), `chmod ${wanted.toString(8)} ${shellWord(path)}`];
  return `Other users can ${what} ${path} (mode ${mode.toString(8)}). Run: ${commands.filter(Boolean).join(" && ")}`;
}

function stateOf(path: string): { readonly mode: number; readonly uid: number | undefined } {
  const { mode = 0, uid } = statsOf(path) ?? {};
  return { mode: mode & 0o777, uid };
}
