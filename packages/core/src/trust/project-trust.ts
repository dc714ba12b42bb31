import { statSync } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "@ikigai/system";
import type { TrustStatus } from "../registry/registry.ts";
import type { Stamps } from "../registry/stamps.ts";
import { readProjectFiles } from "./project-files.ts";
import type { TrustedFile, TrustReport } from "./trust-report.ts";
import { loadTrustStore, type TrustedContent, updateTrustStore } from "./trust-store.ts";

/** Whose trust, in what. */
export interface TrustPlace {
  /** The user's directory, where the decision is kept. */
  readonly home: string;
  readonly projectDir: string;
}

/**
 * Tells what a project brings and how the user stands to it. Reads the files, runs nothing.
 *
 * Never rejects: what cannot be read is `untrusted`, and `problem` says why.
 */
export async function trustStatus(place: TrustPlace): Promise<TrustReport> {
  return (await examineProject(place)).report;
}

/**
 * Says yes to a project, in the user's name, for as long as nothing in it changes.
 *
 * @param place.seen what the user was shown: only that is covered, whatever has changed meanwhile. Without it, what is there.
 * @returns how things stand now. A project with a `problem` stays untrusted.
 * @throws the system's error when the decision cannot be stored.
 */
export async function trust({ seen, ...place }: TrustPlace & { readonly seen?: TrustReport }): Promise<TrustReport> {
  const report = seen ?? (await trustStatus(place));
  if (report.status === "nothing" || report.problem !== undefined) return report;
  await updateTrustStore(place.home, (store) => store.set(report.dir, asContent(report.files)));
  return trustStatus(place);
}

/**
 * Says yes to some of a project's files: those that the user has just put there, or taken away. What they said of the others
 * stays as it was, so a project with others is trusted afterwards only if it was before.
 *
 * @param place.isOurs tells by the path, relative to `.ikigai/`, which files these are.
 * @returns how things stand now. A project with a `problem` stays untrusted.
 * @throws the system's error when the decision cannot be stored.
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
    const others = Object.entries(store.get(dir) ?? {}).filter(([path]) => !isOurs(path));
    const content = Object.fromEntries([...others, ...Object.entries(own)]);
    if (Object.keys(content).length === 0) store.delete(dir);
    else store.set(dir, content);
  });
  return trustStatus(place);
}

/**
 * Takes the yes back; says whether there was one.
 *
 * @throws the system's error when the decision cannot be stored.
 */
export async function revokeTrust({ home, projectDir }: TrustPlace): Promise<boolean> {
  const dir = projectDirectory(projectDir);
  if (!loadTrustStore(home).has(dir)) return false;
  return updateTrustStore(home, (store) => store.delete(dir));
}

/** A project as discovery needs it. */
export interface ExaminedProject {
  readonly report: TrustReport;
  /** The files that the report speaks of, by their absolute paths. */
  readonly files: Stamps;
  /** The directories they are in. */
  readonly directories: Stamps;
}

/** Reads a project's `.ikigai/`, and compares it with what the user has trusted. */
export async function examineProject({ home, projectDir }: TrustPlace): Promise<ExaminedProject> {
  const dir = projectDirectory(projectDir);
  if (!isDirectory(dir) || realPathOf(dir) === realPathOf(home)) {
    return { report: { status: "nothing", dir, files: [] }, files: new Map(), directories: new Map() };
  }
  const { files, stamps, directories, problem } = await readProjectFiles(dir);
  const report: TrustReport =
    problem === undefined
      ? { dir, ...compare(files, loadTrustStore(home).get(dir)) }
      : { dir, status: "untrusted", files, problem };
  return { report, files: stamps, directories };
}

function compare(
  files: readonly TrustedFile[],
  trusted: TrustedContent | undefined,
): { readonly status: TrustStatus; readonly files: readonly TrustedFile[] } {
  if (files.length === 0) return { status: "nothing", files };
  if (trusted === undefined) return { status: "untrusted", files };
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
  return { status: all.some(({ change }) => change) ? "changed" : "trusted", files: all };
}

/** All that the yes is bound to: kind, mode, link target, content. */
function contentOf({ kind, sha256 }: TrustedFile): string {
  return sha256 === "" ? kind : `${kind}, sha256 ${sha256}`;
}

function asContent(files: readonly TrustedFile[]): TrustedContent {
  // From entries, since a file may be called `__proto__`.
  return Object.fromEntries(
    files.filter(({ change }) => change !== "removed").map((file) => [file.path, contentOf(file)]),
  );
}

/** A copy of the project somewhere else is another project. */
function projectDirectory(projectDir: string): string {
  return join(realPathOf(projectDir), ".ikigai");
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
