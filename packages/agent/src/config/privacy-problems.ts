import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { configPath } from "./load-config.ts";

/** What others may do with a file: the permissions of group and world. */
const anyAccess = 0o077;

/** That they may change it. What they may only list, as `mkdir -p ~/.ikigai/tools` leaves it, tells them nothing. */
const writeAccess = 0o022;

/** Says, one sentence each, which of the user's private files others may read or change, and how to mend it. */
export function privacyProblems(home: string): string[] {
  const sessions = join(home, "sessions");
  const shared = [home, join(home, "tools")];
  const files = [configPath(home), ...namesIn(sessions).map((name) => join(sessions, name))];
  return [
    ...shared.map((path) => problemOf(path, 0o755, writeAccess)),
    problemOf(sessions, 0o700, anyAccess),
    ...files.map((path) => problemOf(path, 0o600, anyAccess)),
  ].filter((problem) => problem !== undefined);
}

function problemOf(path: string, wanted: number, refused: number): string | undefined {
  let mode: number;
  try {
    mode = statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
  if ((mode & refused) === 0) return undefined;
  return `${path} is open to others (mode ${mode.toString(8)}): chmod ${wanted.toString(8)} ${path}`;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
}
