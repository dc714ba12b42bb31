// One snapshot: a commit of the shadow whose tree holds `files`, the project's files, and `meta`, what git's trees do not hold.
//
// Most find nothing changed, and start no git (`scan.ts`). In reading order: what it knows, taking one (list, index, permission bits,
// commit), reading one.
import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { utf8Text } from "@ikigai/system";
import { readRef, writeCommit, writeRef } from "./commit.ts";
import { fields, type Git, GitFailure } from "./git.ts";
import {
  excludeOptions,
  type Kept,
  keepRepository,
  type Repository,
  repositoryAt,
  signatureOf,
  trackedIgnored,
} from "./repository.ts";
import { type ScannedDirectories, scanDirectories, scanFiles } from "./scan.ts";

/** Larger files are not saved, in bytes: they are data or products, and a copy of each version would fill the disk. */
export const maxFileBytes = 20 * 1_048_576;

/** How many files a project may have, unless the user wants to wait for more: a snapshot takes longer than the model thinks. */
export const maxFiles = 200_000;

/** Why a snapshot is taken. */
export interface SnapshotNote {
  /** The user message whose turn it belongs to: its time, in milliseconds. */
  readonly turn: number;
  /**
   * `before` a turn and `after` some of its calls; before an `undo`, and when it is `undone`; `now`, before a plan or more calls. What
   * has changed up to `after` and `undone` is ikigai's doing, the rest the user's.
   */
  readonly kind: "before" | "after" | "undo" | "undone" | "now";
  /** For people: the message, or the calls. */
  readonly text: string;
  /** The snapshots of other directories that were taken with it, by directory. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** The text of an `after` that was taken before the calls had ended: they were still running, or ikigai was killed. */
export const unfinished = { running: "calls that had not ended", killed: "calls that ended with ikigai" } as const;

/** A saved state of a project's files. */
export interface Snapshot extends SnapshotNote {
  /** Its commit. */
  readonly id: string;
  readonly time: Date;
}

/** What a snapshot knows of a file. */
export interface FileState {
  /** Git's mode: `100644`, `100755` or `120000`, a symlink. */
  readonly mode: string;
  /** The object with the content. */
  readonly object: string;
  /** The permission bits; `undefined` for symlinks. */
  readonly bits: number | undefined;
}

/** A file that differs between two snapshots. */
export interface FileChange {
  /** Relative to `Undo.root`; one character is one byte, as names of files are bytes. `utf8Text` makes it readable. */
  readonly name: string;
  /** `undefined` if there was no such file. */
  readonly from: FileState | undefined;
  readonly to: FileState | undefined;
}

/** What git's trees do not hold. */
export interface Meta {
  /** The tree of the files; a commit has no empty one. */
  readonly tree: string;
  /** The permission bits that most files (by git's mode) and directories (`040000`) have. */
  readonly usual: Readonly<Record<string, number>>;
  /** The bits of the others, by name. */
  readonly bits: Readonly<Record<string, number>>;
  /** The files that are not saved, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Files that were looked for and not there, whether git ignores them or not. */
  readonly absent: readonly string[];
}

/** Where snapshots are taken from and kept. */
export interface SnapshotPlace {
  readonly git: Git;
  readonly store: string;
  /** The project's own repository, if it has one. */
  readonly repository: Repository | undefined;
  /** The directory that names are relative to. */
  readonly root: string;
  /** The part of it that is saved: the project. */
  readonly scope: string;
  readonly excludes: string | undefined;
  readonly ref: string;
  /** The session's index. */
  readonly index: string;
  readonly kept: Kept;
  readonly maxFiles: number;
  /** The newest snapshot that this process knows; another may have taken one since. */
  readonly newest: { saved?: SavedSnapshot };
  /** The files that the repository tracks although it ignores them, as of an index. */
  readonly tracked: { signature: string; names: readonly string[] };
  /** The files as this process has last read them. */
  readonly read: { files?: ReadFiles };
}

/** The state of the files, and of the index that holds it. */
interface ReadFiles {
  readonly meta: Meta;
  /** All directories around the files. */
  readonly parents: ReadonlySet<string>;
  /** Files that had just changed: git, which compares whole seconds, would not see another change of their bits. */
  readonly fresh: readonly string[];
  /** Differs once another process has changed the index. */
  readonly signature: string;
  /** The files that a repository tracks although it ignores them. */
  readonly tracked: readonly string[];
  /** As they were before git listed the new files; `undefined` if it has to list them again. */
  readonly directories: ScannedDirectories | undefined;
  /** When the files were compared with the index, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** A snapshot and what the next one is compared with. */
export interface SavedSnapshot {
  readonly snapshot: Snapshot;
  readonly tree: string;
  readonly meta: string;
}

/** What else a snapshot may need. */
export interface TakeOptions {
  /** Files to save although git may ignore them now. */
  readonly also?: readonly string[];
  /** When aborted, no snapshot is taken: it would come too late. */
  readonly signal?: AbortSignal;
  /** Files that changed later, in milliseconds since the epoch, keep the state of the snapshot before. */
  readonly untilMs?: number | undefined;
}

/** Takes a snapshot. */
export async function takeSnapshot(
  place: SnapshotPlace,
  note: SnapshotNote,
  { signal, ...options }: TakeOptions = {},
): Promise<SavedSnapshot> {
  const [files, last] = await Promise.all([readFiles(place, options), newestSnapshot(place)]);
  const { tree } = files.meta;
  const meta = JSON.stringify(files.meta);
  const isMark = note.kind !== "after" && note.kind !== "now";
  const isSameBeside = JSON.stringify(last?.snapshot.beside) === JSON.stringify(note.beside);
  if (!isMark && last?.tree === tree && last.meta === meta && isSameBeside) return last;
  if (signal?.aborted) throw new GitFailure("too_late", "Saving the files took too long.");
  const snapshot = await commit(place, note, { tree, meta, parent: last?.snapshot.id });
  place.newest.saved = { snapshot, tree, meta };
  return place.newest.saved;
}

/** Brings the index to the state of the files, and returns it. */
export async function readFiles(place: SnapshotPlace, { also = [], untilMs }: TakeOptions = {}): Promise<ReadFiles> {
  const { git, index, root, repository, store, kept } = place;
  if (repository) await keepRepository(git, store, repository, kept);
  const call = { index, workTree: root };
  const atMs = Date.now();
  const known = place.read.files?.signature === signatureOf(index) ? place.read.files : undefined;
  const { names: listed, tracked, directories } = await changedNames(place, known);
  const statsOf = statsBelow(root);
  const isLater = (name: string) => untilMs !== undefined && (statsOf(name)?.ctimeMs ?? 0) > untilMs;
  const changed = new Set([...listed, ...also].filter((name) => !isLater(name)));
  const isSkipped = (name: string) => {
    const why = known?.meta.skipped[name];
    const stats = statsOf(name);
    return why !== undefined && stats !== undefined && why === whyNotSaved(stats, root, name);
  };
  const isSame = known !== undefined && also.length === 0 && [...changed].every(isSkipped);
  const { saved, skipped, gone } = isSame ? { ...nothing, ...known.meta } : await updateIndex(place, changed);
  const tree = isSame ? known.meta.tree : (await git.text(["write-tree"], call)).trim();
  const names = known ? [...saved, ...known.fresh] : fields(await git.text(["ls-files", "-z"], call));
  const { bits, ...read } = await readBits(place, { names: new Set(names), changed }, known);
  const absent = also.filter((name) => gone.has(name));
  const signature = signatureOf(index);
  // A file that changed later is not saved, but is listed.
  const seen = untilMs === undefined ? directories : undefined;
  place.read.files = { meta: { tree, ...bits, skipped, absent }, ...read, signature, tracked, directories: seen, atMs };
  return place.read.files;
}

/** How many files are looked at before others have their turn: a few milliseconds. */
const portion = 2_000;

/** What became of the files that differ from the index. */
interface UpdatedIndex {
  readonly saved: readonly string[];
  readonly skipped: Record<string, string>;
  readonly gone: ReadonlySet<string>;
}

const nothing: UpdatedIndex = { saved: [], skipped: {}, gone: new Set() };

async function updateIndex(
  { git, index, root, repository }: SnapshotPlace,
  changed: Iterable<string>,
): Promise<UpdatedIndex> {
  const skipped: Record<string, string> = {};
  const [saved, removed]: [string[], string[]] = [[], []];
  const gone = new Set<string>();
  const statsOf = statsBelow(root);
  let count = 0;
  for (const name of changed) {
    if (++count % portion === 0) await setImmediate();
    const stats = statsOf(name);
    const why = stats && whyNotSaved(stats, root, name);
    if (stats === undefined) gone.add(name);
    if (why !== undefined) skipped[name] = why;
    if (why === undefined && (stats?.isFile() || stats?.isSymbolicLink())) saved.push(name);
    else removed.push(name);
  }
  const call = { index, workTree: root };
  if (removed.length > 0) {
    const input = removed.map((name) => `${noFile}\t${name}\0`).join("");
    await git.text(["update-index", "-z", "--index-info"], { ...call, input });
  }
  // Without a repository all contents are new: one pack is faster than a file for each. Known ones are found faster as files.
  const settings = repository ? [] : ["-c", "core.bigFileThreshold=1k"];
  // An empty update makes the index of a project without files.
  const input = saved.map((name) => `${name}\0`).join("");
  await git.text([...settings, "update-index", "-z", "--add", "--remove", "--replace", "--stdin"], { ...call, input });
  return { saved, skipped, gone };
}

/** In the input of `update-index`: there is no such file. */
export const noFile = `0 ${"0".repeat(40)}`;

/** What may differ from the index. */
interface Changed extends Pick<ReadFiles, "tracked" | "directories"> {
  readonly names: readonly string[];
}

/** The names of files that may differ from the index, those of nested repositories too. */
async function changedNames(place: SnapshotPlace, known: ReadFiles | undefined): Promise<Changed> {
  const { git, index, root } = place;
  const files = known && scanFiles(index, known.atMs, statsBelow(root));
  const directories = files && scanDirectories(place, known.directories);
  // Also files of which nothing but the permission bits changed.
  const modified = async () =>
    files?.changed ?? fields(await git.text(["diff-files", "-z", "--name-only"], { index, workTree: root }));
  if (files === undefined || directories === undefined || directories !== known?.directories) {
    const [{ others, tracked }, changed] = await Promise.all([otherNames(place), modified()]);
    return { names: [...others, ...tracked, ...changed], tracked, directories };
  }
  const { tracked, meta } = known;
  const back = tracked.filter((name) => !files.has(name) && lstatSync(bytesOf(root, name), { throwIfNoEntry: false }));
  return { names: [...files.changed, ...Object.keys(meta.skipped), ...back], tracked, directories };
}

/** The files that are not in the index, and those that a repository tracks although it ignores them. */
interface OtherNames {
  readonly others: readonly string[];
  readonly tracked: readonly string[];
}

async function otherNames(place: SnapshotPlace): Promise<OtherNames> {
  const { git, index, root, scope, repository, excludes } = place;
  const options = excludeOptions(repository, excludes);
  const others = fields(await git.text(["ls-files", "-z", "-o", ...options, "--", scope], { index, workTree: root }));
  if (others.length > place.maxFiles) throw tooManyFiles(place);
  if (repository) {
    const signature = signatureOf(join(repository.gitDir, "index"));
    if (place.tracked.signature !== signature) {
      place.tracked.signature = signature;
      place.tracked.names = await trackedIgnored(git, repository, options);
    }
  }
  const within = scope === "." ? () => true : (name: string) => name.startsWith(`${scope}/`);
  return withNested(place, "", { others, tracked: place.tracked.names.filter(within) });
}

/** Adds the files of the repositories that are listed as directories. */
async function withNested(place: SnapshotPlace, above: string, { others, tracked }: OtherNames): Promise<OtherNames> {
  const nested = others.filter((name) => name.endsWith("/"));
  const below = await Promise.all(nested.map((name) => namesInNested(place, above + name)));
  const own = (names: readonly string[]) => names.filter((name) => !name.endsWith("/")).map((name) => above + name);
  return {
    others: [...own(others), ...below.flatMap((one) => one.others)],
    tracked: [...own(tracked), ...below.flatMap((one) => one.tracked)],
  };
}

/** All files of a repository inside the project, which git does not look into. @param name ends in `/`. */
async function namesInNested(place: SnapshotPlace, name: string): Promise<OtherNames> {
  const root = join(place.root, name);
  const repository = repositoryAt(root);
  const options = excludeOptions(repository, place.excludes);
  const index = join(place.store, "no-index");
  const listed = fields(await place.git.text(["ls-files", "-z", "-o", ...options], { index, workTree: root }));
  if (listed.length > place.maxFiles) throw tooManyFiles(place);
  const tracked = repository ? await trackedIgnored(place.git, repository, options) : [];
  return withNested(place, name, { others: listed, tracked });
}

/** Looks at what is at paths below `root`, not through symlinks. `undefined` if there is nothing. */
function statsBelow(root: string): (name: string) => Stats | undefined {
  const isDirectory = directoryTest(root);
  return (name) => (isDirectory(dirname(name)) ? lstatSync(bytesOf(root, name), { throwIfNoEntry: false }) : undefined);
}

/** Whether a path below `root` is a directory and not reached through a symlink. */
export function directoryTest(root: string): (name: string) => boolean {
  const known = new Map([[".", true]]);
  const isOne = (name: string) => lstatSync(bytesOf(root, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return function isDirectory(name: string): boolean {
    const answer = known.get(name) ?? (isDirectory(dirname(name)) && isOne(name));
    known.set(name, answer);
    return answer;
  };
}

function tooManyFiles({ maxFiles: most }: Pick<SnapshotPlace, "maxFiles">): GitFailure {
  return new GitFailure("too_many_files", `The project has more than ${most} files that git does not ignore.`);
}

function whyNotSaved(stats: Stats, root: string, name: string): string | undefined {
  if (!stats.isFile()) return stats.isDirectory() || stats.isSymbolicLink() ? undefined : "not a regular file";
  if (stats.size > maxFileBytes) return `larger than ${maxFileBytes / 1_048_576} MiB`;
  try {
    accessSync(bytesOf(root, name), constants.R_OK);
    return undefined;
  } catch {
    return "cannot be read";
  }
}

/** Git compares whole seconds, and some file systems count in two. */
const freshMs = 3_000;

/**
 * Reads the permission bits of files and all directories.
 *
 * @param names the files to read: all of them; with `known`, those that may have other bits, and `changed` ones may be gone.
 */
async function readBits(
  { root, maxFiles: most }: SnapshotPlace,
  { names, changed }: { readonly names: ReadonlySet<string>; readonly changed: ReadonlySet<string> },
  known?: ReadFiles,
): Promise<Pick<ReadFiles, "parents" | "fresh"> & { readonly bits: Pick<Meta, "usual" | "bits"> }> {
  if (names.size > most) throw tooManyFiles({ maxFiles: most });
  const read = new Map<string, { mode: string; bits: number }>();
  const parents = new Set(known?.parents);
  const fresh: string[] = [];
  const oldMs = Date.now() - freshMs;
  const statsOf = statsBelow(root);
  let count = 0;
  for (const name of names) {
    if (++count % portion === 0) await setImmediate();
    const stats = statsOf(name);
    if (stats && stats.ctimeMs > oldMs) fresh.push(name);
    if (stats?.isFile()) read.set(name, { mode: stats.mode & 0o100 ? "100755" : "100644", bits: stats.mode & 0o7777 });
    for (let at = dirname(name); at !== "." && !parents.has(at); at = dirname(at)) parents.add(at);
  }
  for (const name of parents) {
    const stats = statsOf(name);
    if (stats?.isDirectory()) read.set(`${name}/`, { mode: "040000", bits: stats.mode & 0o7777 });
    else parents.delete(name);
  }
  const usual = { ...usualBits([...read.values()]), ...known?.meta.usual };
  const kept = Object.entries(known?.meta.bits ?? {}).filter(
    ([name]) => !name.endsWith("/") && !changed.has(name) && !names.has(name),
  );
  const others = [...read].flatMap(([name, { mode, bits }]) => (usual[mode] === bits ? [] : [[name, bits] as const]));
  const all = [...kept, ...others].sort(([a], [b]) => (a < b ? -1 : 1));
  return { bits: { usual, bits: Object.fromEntries(all) }, parents, fresh };
}

function usualBits(found: readonly { readonly mode: string; readonly bits: number }[]): Record<string, number> {
  const counts = new Map<string, Map<number, number>>();
  for (const { mode, bits } of found) {
    const own = counts.get(mode) ?? new Map<number, number>();
    counts.set(mode, own.set(bits, (own.get(bits) ?? 0) + 1));
  }
  return Object.fromEntries(
    [...counts].map(([mode, own]) => [mode, [...own].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0]),
  );
}

/** The permission bits of a file with this mode of git; `undefined` for a symlink. */
export function bitsOf({ usual, bits }: Meta, name: string, mode: string): number | undefined {
  return mode === "120000" ? undefined : (bits[name] ?? usual[mode]);
}

async function commit(
  { git, store, ref }: SnapshotPlace,
  note: SnapshotNote,
  { tree, meta, parent }: { readonly tree: string; readonly meta: string; readonly parent: string | undefined },
): Promise<Snapshot> {
  const seconds = Math.floor(Date.now() / 1_000);
  const id = writeCommit(store, { message: JSON.stringify(note), seconds, parent, files: tree, meta });
  if (!writeRef(store, ref, id)) await git.text(["update-ref", ref, id]);
  return { id, time: new Date(seconds * 1_000), ...note };
}

export function bytesOf(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
}

/** Reads what a snapshot holds besides its files. */
export async function readMeta(git: Git, id: string): Promise<Meta> {
  return JSON.parse(utf8Text(await git.text(["cat-file", "blob", `${id}:meta`])));
}

/** The files of a snapshot by name. */
export async function filesIn(git: Git, { tree }: Meta): Promise<Map<string, { mode: string; object: string }>> {
  const listed = fields(await git.text(["ls-tree", "-r", "-z", "--full-tree", tree]));
  return new Map(
    listed.flatMap((line) => {
      const [, mode = "", object = "", name = ""] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
      return name === "" ? [] : [[name, { mode, object }] as const];
    }),
  );
}

/** The session's newest snapshot, if it has one. */
async function newestSnapshot({ git, store, ref, newest }: SnapshotPlace): Promise<SavedSnapshot | undefined> {
  if (newest.saved && readRef(store, ref) === newest.saved.snapshot.id) return newest.saved;
  const format = "%(objectname) %(committerdate:unix) %(contents)";
  const printed = (await git.text(["for-each-ref", `--format=${format}`, ref])).trim();
  const [, id = "", seconds = "", text = ""] = /^(\w+) (\d+) (\{.*\})$/s.exec(printed) ?? [];
  if (id === "" || id === newest.saved?.snapshot.id) return id === "" ? undefined : newest.saved;
  const note: SnapshotNote = JSON.parse(utf8Text(text));
  const meta = await readMeta(git, id);
  const snapshot = { id, time: new Date(Number(seconds) * 1_000), ...note };
  return { snapshot, tree: meta.tree, meta: JSON.stringify(meta) };
}
