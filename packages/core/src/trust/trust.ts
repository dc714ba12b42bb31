// Whether the user trusts a project: comparing its files with what was approved, and the file with the user's decisions.

import { type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@ikigai/protocol";
import {
  LockError,
  makePrivateDirectory,
  ownerProblem,
  readJsonObject,
  readRegularFile,
  realPathOf,
  shellWord,
  systemReason,
  withLock,
  writePrivateFile,
} from "@ikigai/system";
import { TrustStoreProblem } from "../errors.ts";
import type { TrustStatus } from "../registry/registry.ts";
import { type Stamps, stampAt } from "../registry/stamps.ts";
import {
  projectRoots,
  readProjectFiles,
  sharedSkillPlaces,
  type TrustedFile,
  type TrustPlace,
  type TrustReport,
} from "./project-files.ts";

/**
 * Reports the files below a project's `.ikigai/` and its skills, and whether the user trusts them. Reads the files, runs nothing.
 *
 * Never rejects: files that cannot be read make the project `untrusted`, and `problem` says why.
 */
export async function trustStatus(place: TrustPlace): Promise<TrustReport> {
  return (await examineProject(place)).report;
}

/**
 * Trusts a project on the user's behalf until any of its files changes. Show the user the report of `trustStatus` first and
 * pass it as `seen`.
 *
 * @param place the project, and `seen`, the report the user approved: only these contents are trusted, even if files have changed
 *   since. Default: the current files.
 * @returns the status afterwards. A project with a `problem` stays untrusted.
 * @throws the system's error if the decision cannot be stored; TrustStoreProblem if the decisions can no longer be read or are locked.
 *
 * @example
 * const seen = await trustStatus({ home, projectDir });
 * if (await userApproves(seen.files)) await trust({ home, projectDir, seen });
 */
export async function trust({ seen, ...place }: TrustPlace & { readonly seen?: TrustReport }): Promise<TrustReport> {
  const report = seen ?? (await trustStatus(place));
  if (report.status === "nothing" || report.problem !== undefined) return report;
  await updateTrustStore(place.home, (store) =>
    store.set(report.dir, { content: asContent(report.files), isOwnFilesOnly: false }),
  );
  return trustStatus(place);
}

/**
 * Trusts some of a project's files: those the user has just added or removed. Decisions about the other files are kept, so the
 * project is trusted afterwards only if the other files were trusted before. A project that was never trusted as a whole stays
 * `untrusted`, not `changed`.
 *
 * @param place.isOurs returns whether a path, relative to `.ikigai/`, is one of these files.
 * @returns the status afterwards. A project with a `problem` stays untrusted.
 * @throws the system's error if the decision cannot be stored; TrustStoreProblem if the decisions can no longer be read or are locked.
 */
export async function trustFiles({
  isOurs,
  ...place
}: TrustPlace & { isOurs(path: string): boolean }): Promise<TrustReport> {
  const report = await trustStatus(place);
  const { dir, files, problem } = report;
  if (problem !== undefined) return report;
  const own = asContent(files.filter(({ path }) => isOurs(path)));
  await updateTrustStore(place.home, (store) => {
    const known = store.get(dir);
    const others = Object.entries(known?.content ?? {}).filter(([path]) => !isOurs(path));
    const content = Object.fromEntries([...others, ...Object.entries(own)]);
    if (Object.keys(content).length === 0) return store.delete(dir);
    const isAll = isDeepStrictEqual(content, asContent(files));
    return store.set(dir, { content, isOwnFilesOnly: !isAll && (known?.isOwnFilesOnly ?? true) });
  });
  return trustStatus(place);
}

/**
 * Stops trusting a project.
 *
 * @returns whether it was trusted before, in any version.
 * @throws the system's error if the decision cannot be stored; TrustStoreProblem if the decisions cannot be read or are locked.
 */
export async function revokeTrust(place: TrustPlace): Promise<boolean> {
  const { home, projectDir } = place;
  const dir = projectDirectory(projectDir);
  const { store, problem } = loadTrustStore(home);
  if (problem === undefined && !store.has(dir)) return false;
  return updateTrustStore(home, (store) => store.delete(dir));
}

/** A project as discovery needs it. */
export interface ExaminedProject {
  readonly report: TrustReport;
  /** The files in the report, by absolute path, and the names in their directories. */
  readonly files: Stamps;
  /** The places of skills that other agents read, which may not exist yet. */
  readonly places: Stamps;
}

/** Reads a project's `.ikigai/` and skills and compares them with what the user trusted. */
export async function examineProject(place: TrustPlace): Promise<ExaminedProject> {
  const { home, projectDir } = place;
  const dir = projectDirectory(projectDir);
  // Before anything is read; also of those that do not exist yet.
  const places = new Map(
    sharedSkillPlaces.map((name) => join(dirname(dir), name)).map((path) => [path, stampAt(path)]),
  );
  const roots = projectRoots(dir, place);
  if (roots.length === 0) {
    return { report: { status: "nothing", dir, files: [] }, files: new Map(), places };
  }
  const { files, stamps, problem } = await readProjectFiles(roots);
  const report: TrustReport =
    problem === undefined
      ? { dir, ...decided(files, loadTrustStore(home), dir) }
      : { dir, status: "untrusted", files, problem };
  return { report, files: stamps, places };
}

/** What the user's decisions say about a project's files; if they cannot be read, nothing. */
function decided(
  files: readonly TrustedFile[],
  { store, problem }: TrustReading,
  dir: string,
): Pick<TrustReport, "status" | "files" | "problem"> {
  const compared = compare(files, store.get(dir));
  return problem === undefined || compared.status === "nothing" ? compared : { ...compared, problem };
}

function compare(
  files: readonly TrustedFile[],
  decision: TrustDecision | undefined,
): { readonly status: TrustStatus; readonly files: readonly TrustedFile[] } {
  if (files.length === 0) return { status: "nothing", files };
  if (decision === undefined) return { status: "untrusted", files };
  const { content: trusted, isOwnFilesOnly } = decision;
  const present = files.map((file) => {
    const known = Object.hasOwn(trusted, file.path) ? trusted[file.path] : undefined;
    if (known === contentOf(file)) return file;
    return { ...file, change: known === undefined ? ("new" as const) : ("changed" as const) };
  });
  const paths = new Set(files.map(({ path }) => path));
  const removed = Object.keys(trusted)
    .filter((path) => !paths.has(path))
    .map((path) => ({ path, sha256: "", kind: "missing", change: "removed" as const }));
  const all: TrustedFile[] = [...present, ...removed].sort((a, b) => (a.path < b.path ? -1 : 1));
  if (!all.some(({ change }) => change)) return { status: "trusted", files: all };
  return { status: isOwnFilesOnly ? "untrusted" : "changed", files: all };
}

/** Everything the approval covers: kind, mode, link target, content. */
function contentOf({ kind, sha256 }: TrustedFile): string {
  return sha256 === "" ? kind : `${kind}, sha256 ${sha256}`;
}

function asContent(files: readonly TrustedFile[]): TrustedContent {
  // `fromEntries` keeps a file named `__proto__`; assignment would not.
  return Object.fromEntries(
    files.filter(({ change }) => change !== "removed").map((file) => [file.path, contentOf(file)]),
  );
}

/** Uses the real path: a copy of the project elsewhere is a different project. */
function projectDirectory(projectDir: string): string {
  return join(realPathOf(projectDir), ".ikigai");
}

/** What the user trusted: kind and hash of each file. */
type TrustedContent = Readonly<Record<string, string>>;

/** A decision about a project. */
interface TrustDecision {
  readonly content: TrustedContent;
  /** The user has added these files to a project without ever trusting all of it. */
  readonly isOwnFilesOnly: boolean;
}

/** Decisions by the path of the project's `.ikigai/`. */
type TrustStore = Map<string, TrustDecision>;

/** What tools need, by the path of their file: a hash of its content and of the needs that the user has agreed to. */
type AgreedNeeds = Map<string, string>;

/** The path of the file with the user's trust decisions. */
export function trustFile(home: string): string {
  return join(home, "trust.json");
}

/** The user's decisions. */
interface TrustReading {
  /** The file. */
  readonly path: string;
  /** Empty if there is a problem: what others may have written, or only a part of it, approves nothing. */
  readonly store: TrustStore;
  /** The same for what tools need. */
  readonly needs: AgreedNeeds;
  /** Why the file cannot be used, and what to do: sentences. */
  readonly problem?: string;
}

/** Reads the user's decisions. A file that is missing has none. */
export function loadTrustStore(home: string): TrustReading {
  const path = trustFile(home);
  try {
    const stats = statSync(path);
    const problem = unsafeFile(path, stats);
    return problem === undefined ? parse(path) : nothing(path, problem);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return nothing(path);
    const mode = `To make it readable: chmod 600 ${shellWord(path)}`;
    const remedy = code === "EACCES" ? ` ${ownerProblem(path, home) ?? mode}` : "";
    const reason = systemReason(error as NodeJS.ErrnoException);
    return nothing(path, `${path} cannot be read: ${reason}.${remedy}`);
  }
}

function nothing(path: string, problem?: string): TrustReading {
  return { path, store: new Map(), needs: new Map(), ...(problem !== undefined && { problem }) };
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
  if (!reading.ok) return nothing(path, damaged(path, reading.problem));
  const { projects, ownFilesOnly = [], needs = {} } = reading.value;
  const areProjects = isJsonObject(projects) && Object.entries(projects).every(isTrustEntry);
  if (!areProjects || !Array.isArray(ownFilesOnly) || !isContent(needs))
    return nothing(path, damaged(path, "it does not have the form that ikigai writes"));
  const own: readonly unknown[] = ownFilesOnly;
  const entries = Object.entries(projects).filter(isTrustEntry);
  const store = new Map(entries.map(([dir, content]) => [dir, { content, isOwnFilesOnly: own.includes(dir) }]));
  return { path, store, needs: new Map(Object.entries(needs)) };
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
