import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "@ikigai/protocol";
import { makePrivateDirectory, readJsonObject, readRegularFile, withLock, writePrivateFile } from "@ikigai/system";

/** What the user trusted: kind and hash of each file. */
export type TrustedContent = Readonly<Record<string, string>>;

/** A decision about a project. */
export interface TrustDecision {
  readonly content: TrustedContent;
  /** The user has added these files to a project without ever trusting all of it. */
  readonly isOwnFilesOnly: boolean;
}

/** Decisions by the path of the project's `.ikigai/`. */
export type TrustStore = Map<string, TrustDecision>;

/** The path of the file with the user's trust decisions. */
export function trustFile(home: string): string {
  return join(home, "trust.json");
}

/** Reads the user's decisions. A file that is damaged or writable by others counts as empty. */
export function loadTrustStore(home: string): TrustStore {
  const path = trustFile(home);
  try {
    if (!isOnlyOurs(path)) return new Map();
    const reading = readJsonObject(readRegularFile(path));
    const { projects, ownFilesOnly } = reading.ok ? reading.value : {};
    const entries = isJsonObject(projects) ? Object.entries(projects).filter(isTrustEntry) : [];
    const own: readonly unknown[] = Array.isArray(ownFilesOnly) ? ownFilesOnly : [];
    return new Map(entries.map(([dir, content]) => [dir, { content, isOwnFilesOnly: own.includes(dir) }]));
  } catch {
    return new Map();
  }
}

/**
 * Changes the user's decisions, under a lock: concurrent processes do not lose each other's changes.
 *
 * @throws the system's error if the file cannot be written.
 */
export async function updateTrustStore<Result>(home: string, change: (store: TrustStore) => Result): Promise<Result> {
  const path = trustFile(home);
  makePrivateDirectory(dirname(path));
  return withLock(path, () => {
    const store = loadTrustStore(home);
    const result = change(store);
    writePrivateFile(path, `${JSON.stringify(asJson(store), undefined, 2)}\n`);
    return result;
  });
}

function asJson(store: TrustStore): object {
  const decisions = [...store];
  const ownFilesOnly = decisions.flatMap(([dir, decision]) => (decision.isOwnFilesOnly ? [dir] : []));
  const projects = Object.fromEntries(decisions.map(([dir, { content }]) => [dir, content]));
  return { version: 1, projects, ...(ownFilesOnly.length > 0 && { ownFilesOnly }) };
}

function isOnlyOurs(path: string): boolean {
  const { mode, uid } = statSync(path);
  const self = process.getuid?.() ?? uid;
  return (mode & 0o022) === 0 && (uid === self || uid === 0);
}

function isTrustEntry(entry: [string, unknown]): entry is [string, TrustedContent] {
  return isJsonObject(entry[1]) && Object.values(entry[1]).every((value) => typeof value === "string");
}
