import { type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "@ikigai/protocol";
import {
  LockError,
  makePrivateDirectory,
  ownerProblem,
  readJsonObject,
  readRegularFile,
  shellWord,
  systemReason,
  withLock,
  writePrivateFile,
} from "@ikigai/system";
import { IkigaiError } from "../ikigai-error.ts";

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

/** What tools need, by the path of their file: a hash of its content and of the needs that the user has agreed to. */
export type AgreedNeeds = Map<string, string>;

/** The path of the file with the user's trust decisions. */
export function trustFile(home: string): string {
  return join(home, "trust.json");
}

/** The user's decisions. */
export interface TrustReading {
  /** Empty if there is a problem: what others may have written, or only a part of it, approves nothing. */
  readonly store: TrustStore;
  /** The same for what tools need. */
  readonly needs: AgreedNeeds;
  /** Why the file cannot be used, and what to do: sentences. */
  readonly problem?: string;
}

/** Why the user's decisions cannot be changed. */
export type TrustStoreProblemCode =
  /** The file cannot be read: changing it would lose all decisions. */
  | "trust_unreadable"
  /** Another process keeps the file locked, or something else is where its lock should be. */
  | "trust_locked";

/** The user's decisions about projects cannot be changed. */
export class TrustStoreProblem extends IkigaiError<TrustStoreProblemCode> {
  /** Always `TrustStoreProblem`. */
  override readonly name = "TrustStoreProblem";
}

/** Reads the user's decisions. A file that is missing has none. */
export function loadTrustStore(home: string): TrustReading {
  const path = trustFile(home);
  try {
    const stats = statSync(path);
    const problem = unsafeFile(path, stats);
    return problem === undefined ? parse(path) : nothing(problem);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return nothing();
    const mode = `To make it readable: chmod 600 ${shellWord(path)}`;
    const remedy = code === "EACCES" ? ` ${ownerProblem(path, home) ?? mode}` : "";
    const reason = systemReason(error as NodeJS.ErrnoException);
    return nothing(`${path} cannot be read: ${reason}.${remedy}`);
  }
}

function nothing(problem?: string): TrustReading {
  return { store: new Map(), needs: new Map(), ...(problem !== undefined && { problem }) };
}

/**
 * Changes the user's decisions, under a lock: concurrent processes do not lose each other's changes.
 *
 * @throws the system's error if the file cannot be written.
 * @throws TrustStoreProblem if it cannot be read or locked: then it stays as it is.
 */
export async function updateTrustStore<Result>(
  home: string,
  change: (store: TrustStore, needs: AgreedNeeds) => Result,
): Promise<Result> {
  const path = trustFile(home);
  makePrivateDirectory(dirname(path));
  try {
    return await withLock(path, () => {
      const { store, needs, problem } = loadTrustStore(home);
      if (problem !== undefined) throw new TrustStoreProblem("trust_unreadable", problem);
      const result = change(store, needs);
      writePrivateFile(path, `${JSON.stringify(asJson(store, needs), undefined, 2)}\n`);
      return result;
    });
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    throw new TrustStoreProblem("trust_locked", error.message, { cause: error });
  }
}

/** @throws the system's error. */
function parse(path: string): TrustReading {
  const reading = readJsonObject(readRegularFile(path));
  if (!reading.ok) return nothing(damaged(path, reading.problem));
  const { projects, ownFilesOnly = [], needs = {} } = reading.value;
  const areProjects = isJsonObject(projects) && Object.entries(projects).every(isTrustEntry);
  if (!areProjects || !Array.isArray(ownFilesOnly) || !isContent(needs))
    return nothing(damaged(path, "it does not have the form that ikigai writes"));
  const own: readonly unknown[] = ownFilesOnly;
  const entries = Object.entries(projects).filter(isTrustEntry);
  const store = new Map(entries.map(([dir, content]) => [dir, { content, isOwnFilesOnly: own.includes(dir) }]));
  return { store, needs: new Map(Object.entries(needs)) };
}

function damaged(path: string, reason: string): string {
  return `${path} is damaged: ${reason}. Fix it, or remove it and trust each project again: rm ${shellWord(path)}`;
}

function asJson(store: TrustStore, needs: AgreedNeeds): object {
  const decisions = [...store];
  const ownFilesOnly = decisions.flatMap(([dir, decision]) => (decision.isOwnFilesOnly ? [dir] : []));
  const projects = Object.fromEntries(decisions.map(([dir, { content }]) => [dir, content]));
  const agreed = needs.size > 0 && { needs: Object.fromEntries([...needs].sort(([a], [b]) => (a < b ? -1 : 1))) };
  return { version: 1, projects, ...(ownFilesOnly.length > 0 && { ownFilesOnly }), ...agreed };
}

/** Why a file's decisions may not be the user's, and what to do. */
function unsafeFile(path: string, stats: Stats): string | undefined {
  const { mode, uid } = stats;
  const self = process.getuid?.() ?? uid;
  if (!stats.isFile()) return `${path} is not a regular file. Move it away.`;
  if (uid !== self && uid !== 0) return `${path} belongs to another user (uid ${uid}). Move it away.`;
  if ((mode & 0o022) === 0) return undefined;
  const open = `${path} can be written by others (mode ${(mode & 0o7777).toString(8)})`;
  return `${open}. Check what it approves, then run: chmod go-w ${shellWord(path)}`;
}

function isTrustEntry(entry: [string, unknown]): entry is [string, TrustedContent] {
  return isContent(entry[1]);
}

function isContent(value: unknown): value is TrustedContent {
  return isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");
}
