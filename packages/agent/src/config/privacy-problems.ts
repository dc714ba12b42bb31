import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { configPath } from "./load-config.ts";

/** What others may do with a file: the permissions of group and world. */
const othersMask = 0o077;

/** Says, one sentence each, which of the user's private files others may read or change, and how to mend it. */
export function privacyProblems(home: string): string[] {
  const sessions = join(home, "sessions");
  const directories = [home, sessions];
  const files = [configPath(home), ...namesIn(sessions).map((name) => join(sessions, name))];
  return [...directories.map((path) => problemOf(path, 0o700)), ...files.map((path) => problemOf(path, 0o600))].filter(
    (problem) => problem !== undefined,
  );
}

function problemOf(path: string, wanted: number): string | undefined {
  let mode: number;
  try {
    mode = statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
  if ((mode & othersMask) === 0) return undefined;
  return `${path} is open to others (mode ${mode.toString(8)}): chmod ${wanted.toString(8)} ${path}`;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
}
