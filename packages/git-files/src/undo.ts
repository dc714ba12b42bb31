// Undo: the state of a project's files around what an agent does, in a shadow repository, and the way back.
//
// The shadow is a bare repository outside the project. It never uses the project's configuration, hooks, filters or attributes, so it
// stores bytes, and runs no program of the project. It owns every object that it names: those of the project's own repository come in as
// hard links (`repository.ts`), which makes the first snapshot fast and keeps commits that a reset leaves without a name.
//
// In reading order: opening, looking, pruning. `snapshot.ts` takes snapshots, `restore.ts` goes back to them.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  Lock,
  LockError,
  lockState,
  makeIfMissing,
  makePrivateDirectory,
  readRegularFile,
  realPathOf,
  utf8Text,
  withLock,
} from "@ikigai/system";
import { fields, type Git, GitFailure, gitRunner } from "./git.ts";
import { releasePacks, repositoryOf } from "./repository.ts";
import { blockingFiles, restoreFiles } from "./restore.ts";
import {
  bitsOf,
  type FileChange,
  type FileState,
  filesIn,
  type Meta,
  readFiles,
  readMeta,
  type Snapshot,
  type SnapshotNote,
  type SnapshotPlace,
  type TakeOptions,
  takeSnapshot,
  unfinished,
  maxFiles as usualMaxFiles,
} from "./snapshot.ts";

const dayMs = 24 * 3_600_000;

/** How long a snapshot is kept, in milliseconds: 30 days. */
const keptMs = 30 * dayMs;

export interface UndoOptions {
  /** The directory whose files are saved: absolute. */
  readonly projectDir: string;
  /** The directory of the shadow repository, made if missing. Outside the project. */
  readonly store: string;
  /** The program `git`: an absolute path outside the project. */
  readonly git: string;
  /** Names the session: letters, digits, `.`, `_` and `-`. */
  readonly session: string;
  /** The user's own list of ignored files, `core.excludesFile`. */
  readonly excludes?: string | undefined;
  /** How many files the project may have. */
  readonly maxFiles?: number;
  /** Other directories whose snapshots belong to those of this one. */
  readonly beside?: UndoBeside;
}

/** What `openUndo` asks of other directories. */
export interface UndoBeside {
  /** Takes their snapshots; returns them by directory. */
  take(note: SnapshotNote, options: TakeOptions): Promise<Readonly<Record<string, string>>>;
  /** Whether a file is in one of them. */
  has(name: string): boolean;
}

/** The snapshots of one session. */
export interface Undo {
  /** The directory that names are relative to: the project's repository, else the project. */
  readonly root: string;
  /**
   * Saves the state of all files that git does not ignore, up to 20 MiB each. An `after` without a change since the last snapshot returns
   * that one. Any other comes after one of what calls have changed that are still running, or were killed.
   *
   * @throws GitFailure `too_many_files`, `too_late`, `busy`, `git_failed`.
   */
  take(note: SnapshotNote, options?: TakeOptions): Promise<Snapshot>;
  /**
   * Reads the files while other programs go first, which makes the next snapshot fast. Takes none.
   *
   * @param signal ends it. @throws GitFailure as `take` does.
   */
  prepare(signal: AbortSignal): Promise<void>;
  /** Calls begin: until the next `after`, changes are theirs, even if this process is killed: then up to 3 seconds later. */
  callsBegin(): void;
  /** The session's snapshots, oldest first; takes one if calls are running, or were killed. @throws GitFailure as `take` does. */
  list(): Promise<Snapshot[]>;
  /** The names of the files in a snapshot. @throws GitFailure `git_failed`. */
  names(id: string): Promise<string[]>;
  /** What changed from one snapshot to another, by name. @throws GitFailure `git_failed`. */
  changes(from: string, to: string): Promise<FileChange[]>;
  /** The same as git's unified diff, with `prefix` before the names; files over 1 MiB count as binary. @throws GitFailure `git_failed`. */
  diff(from: string, to: string, prefix?: string): Promise<string>;
  /** The sizes of saved contents, in bytes, by object. @throws GitFailure `git_failed`. */
  sizes(objects: readonly string[]): Promise<Map<string, number>>;
  /**
   * Gives files their state `to`, all of them or none, and returns the snapshot of before, with which this can be undone.
   *
   * @param to the snapshot with these states, also of the directories that they are in.
   * @throws GitFailure `changed_meanwhile` if a file is not in its state `from`; `busy`; `in_the_way` if a file that cannot be
   *   saved is where another, or a directory, belongs; `git_failed`.
   */
  restore(to: string, changes: readonly FileChange[], note: SnapshotNote): Promise<Snapshot>;
  /** Removes what is older than 30 days, of all sessions; looks for it once a day. @throws GitFailure `git_failed`. */
  prune(now?: Date): Promise<void>;
}

/**
 * Opens the undo of a session, and makes the shadow repository if it is missing.
 *
 * @throws the system's error if the store cannot be made; GitFailure `git_failed`.
 */
export async function openUndo(options: UndoOptions): Promise<Undo> {
  const { store } = options;
  const git = gitRunner(options.git, store);
  if (!existsSync(store)) await makeStore(options);
  const place = placeOf(options, git);
  const { root, index } = place;
  // An index knows which files have not changed since they were read.
  const latest = newestIndex(store);
  if (!existsSync(index) && latest !== undefined) copyFileSync(latest, index);
  let calls = new Lock(callsLock(index));
  let queue: Promise<unknown> = Promise.resolve();
  /** One at a time: they share an index. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = queue.then(work, work);
    queue = result.catch(() => undefined);
    return result;
  };
  /** Nor is another process of this session, such as `ikigai undo`, at the same time. */
  const alone = <Result>(work: () => Promise<Result>) => inTurn(() => lockSession(place, work));
  const snap = async (note: SnapshotNote, how: TakeOptions = {}) => {
    const beside = (await options.beside?.take(note, how)) ?? {};
    const also = (how.also ?? []).filter((name) => !options.beside?.has(name));
    return takeSnapshot(place, Object.keys(beside).length > 0 ? { ...note, beside } : note, { ...how, also });
  };
  const takeRunning = async () => {
    const state = lockState(calls.path);
    if (state === "free") return;
    const [text, untilMs] = state === "held" ? [unfinished.running] : [unfinished.killed, lastCallMs(calls.path)];
    await snap({ turn: Date.now(), kind: "after", text }, { untilMs });
    if (state === "abandoned") rmSync(calls.path, { force: true });
  };
  return {
    root,
    take: (note, how) =>
      alone(async () => {
        if (note.kind !== "after") await takeRunning();
        const { snapshot } = await snap(note, how);
        if (note.kind === "after") calls.release();
        return snapshot;
      }),
    prepare: (signal) =>
      alone(async () => void (await readFiles({ ...place, git: gitRunner(options.git, store, signal) }))),
    callsBegin() {
      if (calls.isOwn()) return;
      calls = new Lock(calls.path);
      calls.tryTake();
    },
    restore: (to, changes, note) =>
      alone(async () => {
        const blocking = blockingFiles(root, changes);
        const saved = await snap(note, { also: [...changes.map(({ name }) => name), ...blocking] });
        await restoreFiles(place, saved, { to, changes, blocking });
        return saved.snapshot;
      }),
    list: () =>
      alone(async () => {
        await takeRunning();
        return listSnapshots(place);
      }),
    names: (id) => inTurn(async () => [...(await filesIn(git, await readMeta(git, id))).keys()]),
    changes: (from, to) => inTurn(() => changesBetween(place, from, to)),
    diff: (from, to, prefix = "") =>
      inTurn(async () => {
        const [before, after] = await Promise.all([readMeta(git, from), readMeta(git, to)]);
        const names = [`--src-prefix=a/${prefix}`, `--dst-prefix=b/${prefix}`];
        return utf8Text(await git.text([...shortDiff, "diff", ...plainDiff, ...names, "-M", before.tree, after.tree]));
      }),
    sizes: (objects) => inTurn(() => sizesOf(place, objects)),
    prune: (now = new Date()) => inTurn(() => pruneStore(place, now)),
  };
}

/** Held by the process whose calls run. */
function callsLock(index: string): string {
  return `${index}.calls`;
}

/** How long calls may go on after their process was killed, in milliseconds: it refreshes its lock every 500, and tools end within 2 seconds. */
const lastWordsMs = 3_000;

/** When the calls of a process that was killed had ended. */
function lastCallMs(lock: string): number | undefined {
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats && stats.mtimeMs + lastWordsMs;
}

function placeOf({ projectDir, store, session, excludes, maxFiles }: UndoOptions, git: Git): SnapshotPlace {
  const project = realPathOf(projectDir);
  const repository = repositoryOf(project);
  const root = repository?.root ?? project;
  return {
    git,
    store,
    repository,
    root,
    scope: project === root ? "." : project.slice(root.length + 1),
    excludes,
    ref: `refs/ikigai/sessions/${session}`,
    index: join(store, `index-${createHash("sha256").update(`${session}\n${root}`).digest("hex").slice(0, 16)}`),
    maxFiles: maxFiles ?? usualMaxFiles,
    kept: { signature: "" },
    newest: {},
    tracked: { signature: "", names: [] },
    read: {},
  };
}

/** Left by a git that was killed, in milliseconds: it needs its lock for seconds. */
const staleLockMs = 60_000;

const wasKilled = (freeInMs: number) =>
  `ikigai was killed while it saved or restored files, and its git may still run. Try again in ${Math.ceil(freeInMs / 1_000)} s.`;

/** @throws GitFailure `busy`, or `git_failed` while a git may still run. */
async function lockSession<Result>({ index }: SnapshotPlace, work: () => Promise<Result>): Promise<Result> {
  try {
    return await withLock(`${index}.session`, () => {
      const left = statSync(`${index}.lock`, { throwIfNoEntry: false });
      const freeInMs = left ? left.mtimeMs + staleLockMs - Date.now() : 0;
      // Each git of a living ikigai has the lock of the session, too.
      if (freeInMs > 0) throw new GitFailure("git_failed", wasKilled(freeInMs));
      if (left) rmSync(`${index}.lock`, { force: true });
      return work();
    });
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    throw new GitFailure("busy", `Another ikigai is saving or restoring this session's files. ${error.message}`);
  }
}

/** The sessions with snapshots in a store, the one with the newest first. @throws GitFailure `git_failed`. */
export async function sessionsIn(store: string, program: string): Promise<string[]> {
  if (!existsSync(join(store, "HEAD"))) return [];
  const prefix = "refs/ikigai/sessions/";
  const args = ["for-each-ref", "--sort=-committerdate", "--format=%(refname)", prefix];
  const printed = await gitRunner(program, store).text(args);
  return printed.split("\n").flatMap((ref) => (ref === "" ? [] : [ref.slice(prefix.length)]));
}

/** Git's own, where the store's is not meant. */
const usualCompression = ["-c", "core.compression=-1"];

/** No one reads the text of larger files, in bytes. */
const maxDiffBytes = 1_048_576;

const shortDiff = ["-c", `core.bigFileThreshold=${maxDiffBytes}`];

/** The text of a file that was removed says nothing new. */
const plainDiff = ["--full-index", "--irreversible-delete", "--no-color", "--no-ext-diff", "--no-textconv"];

/** Makes the store beside its place: another session may make it at the same time. */
async function makeStore({ store: wanted, git }: UndoOptions): Promise<void> {
  makePrivateDirectory(dirname(wanted));
  const store = mkdtempSync(`${wanted}-`);
  await gitRunner(git, store).text(["init", "--quiet", "--bare", "--template="]);
  const settings = [
    // Time is worth more than the disk: what is saved stays for a month.
    "[core]\n\tcompression = 0\n\tfsync = none\n\tlogAllRefUpdates = false",
    // A name is bytes; a symlink is a symlink.
    "\tautocrlf = false\n\tsymlinks = true\n\tignoreCase = false\n\tprecomposeUnicode = false",
    "\tprotectNTFS = false\n\tprotectHFS = false",
  ];
  writeFileSync(join(store, "config"), `${settings.join("\n")}\n`, { flag: "a" });
  makeIfMissing(join(store, "info"));
  // Goes before the project's .gitattributes: no line ending, filter or encoding changes a byte.
  writeFileSync(join(store, "info/attributes"), "* -text -ident -filter -working-tree-encoding -eol\n");
  try {
    renameSync(store, wanted);
  } catch (error) {
    rmSync(store, { recursive: true, force: true });
    if (!existsSync(wanted)) throw error;
  }
}

function indexesIn(store: string): string[] {
  return readdirSync(store)
    .filter((name) => /^index-[0-9a-f]+$/.test(name))
    .map((name) => join(store, name));
}

function newestIndex(store: string): string | undefined {
  const byAge = indexesIn(store).map((path) => ({ path, at: statSync(path).mtimeMs }));
  return byAge.sort((a, b) => b.at - a.at)[0]?.path;
}

async function listSnapshots({ git, ref }: SnapshotPlace): Promise<Snapshot[]> {
  const exists = (await git.text(["for-each-ref", "--format=%(refname)", ref])).trim() === ref;
  if (!exists) return [];
  const printed = await git.text(["log", "--reverse", "--format=%H%x00%ct%x00%B%x00", ref]);
  const parts = printed.split("\0");
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, at) => {
    const [id = "", seconds = "0", note = "{}"] = parts.slice(at * 3, at * 3 + 3);
    return { id: id.trim(), time: new Date(Number(seconds) * 1_000), ...readNote(note) };
  });
}

function readNote(text: string): SnapshotNote {
  return JSON.parse(utf8Text(text));
}

async function changesBetween(place: SnapshotPlace, from: string, to: string): Promise<FileChange[]> {
  const { git } = place;
  const [before, after] = await Promise.all([readMeta(git, from), readMeta(git, to)]);
  const printed = await git.text(["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", before.tree, after.tree]);
  const changes = new Map<string, FileChange>();
  const parts = fields(printed);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, modeFrom = "", modeTo = "", objectFrom = "", objectTo = ""] =
      /^:(\d+) (\d+) (\w+) (\w+) /.exec(parts[at] ?? "") ?? [];
    const name = parts[at + 1] ?? "";
    changes.set(name, {
      name,
      from: stateOf(before, name, modeFrom, objectFrom),
      to: stateOf(after, name, modeTo, objectTo),
    });
  }
  await addChangedBits(git, { before, after }, changes);
  // A file that the earlier one left out or ignored may have been there; what was saved once is saved from then on.
  const isForward = await git.holds(["merge-base", "--is-ancestor", from, to]);
  const all = [...changes.values()];
  const earlier = isForward ? before : after;
  const fresh = all.filter((change) => (isForward ? change.from : change.to) === undefined);
  const absent = new Set(earlier.absent);
  const unknown = new Set([
    ...Object.keys(earlier.skipped),
    ...(await ignoredIn(
      place,
      earlier.tree,
      fresh.filter(({ name }) => !absent.has(name)),
    )),
  ]);
  return all.filter(({ name }) => !unknown.has(name));
}

/**
 * The names of files that are not in a tree because its `.gitignore` files ignored them then. They may have been there: a file that is
 * no longer ignored, or was added to git anyway, is not a new one.
 */
async function ignoredIn(
  { git, store, repository, excludes }: SnapshotPlace,
  tree: string,
  missing: readonly FileChange[],
): Promise<string[]> {
  if (missing.length === 0) return [];
  const folder = mkdtempSync(join(store, "rules-"));
  const index = join(folder, "index");
  const workTree = join(folder, "files");
  try {
    mkdirSync(workTree);
    await git.text(["read-tree", tree], { index });
    const rules = await git.text(["ls-files", "-z", "--", ":(glob)**/.gitignore"], { index, workTree });
    await git.text(["checkout-index", "-z", "--stdin"], { index, workTree, input: rules });
    const others = [excludes, repository && join(repository.commonDir, "info/exclude")];
    const texts = others.map((file) =>
      file !== undefined && existsSync(file) ? readRegularFile(file).toString() : "",
    );
    writeFileSync(join(folder, "exclude"), texts.join("\n"));
    const settings = ["-c", `core.excludesFile=${join(folder, "exclude")}`];
    const input = missing.map(({ name }) => `${name}\0`).join("");
    return fields(
      await git.text([...settings, "check-ignore", "-z", "--no-index", "--stdin"], {
        index,
        workTree,
        input,
        isQuestion: true,
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stateOf(meta: Meta, name: string, mode: string, object: string): FileState | undefined {
  return mode === "000000" ? undefined : { mode, object, bits: bitsOf(meta, name, mode) };
}

/** Adds the files of which only the permission bits changed, which trees do not hold. */
async function addChangedBits(
  git: Git,
  { before, after }: { readonly before: Meta; readonly after: Meta },
  changes: Map<string, FileChange>,
): Promise<void> {
  if (JSON.stringify([before.usual, before.bits]) === JSON.stringify([after.usual, after.bits])) return;
  const [old, fresh] = await Promise.all([filesIn(git, before), filesIn(git, after)]);
  for (const [name, { mode, object }] of old) {
    const now = fresh.get(name);
    if (now === undefined || changes.has(name)) continue;
    const states = [stateOf(before, name, mode, object), stateOf(after, name, now.mode, now.object)] as const;
    if (states[0]?.bits !== states[1]?.bits) changes.set(name, { name, from: states[0], to: states[1] });
  }
}

async function sizesOf({ git }: SnapshotPlace, objects: readonly string[]): Promise<Map<string, number>> {
  const input = objects.map((object) => `${object}\n`).join("");
  const printed = await git.text(["cat-file", "--batch-check=%(objectname) %(objectsize)"], { input });
  return new Map(
    printed.split("\n").flatMap((line) => {
      const [object, size] = line.split(" ");
      return object && size ? [[object, Number(size)] as const] : [];
    }),
  );
}

async function pruneStore({ git, store, index }: SnapshotPlace, now: Date): Promise<void> {
  const mark = join(store, "pruned");
  if (now.getTime() - (statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0) < dayMs) return;
  writeFileSync(mark, "");
  const oldest = now.getTime() - keptMs;
  const printed = await git.text(["for-each-ref", "--format=%(refname) %(committerdate:unix)", "refs/ikigai/sessions"]);
  const sessions = printed.split("\n").flatMap((line) => {
    const [ref = "", seconds = ""] = line.split(" ");
    return ref !== "" && Number(seconds) * 1_000 < oldest ? [ref] : [];
  });
  const kept = (await git.text(["for-each-ref", "--format=%(refname)", "refs/ikigai/kept"])).split("\n");
  const old = kept.filter((ref) => {
    const day = /^refs\/ikigai\/kept\/(\d{4}-\d\d-\d\d)\//.exec(ref)?.[1];
    return day !== undefined && Date.parse(day) < oldest;
  });
  if (sessions.length + old.length > 0) {
    // An old session's index names what goes with it, and later ones may be copies of it. No session that is open uses these.
    const unused = indexesIn(store).filter((path) => path !== index && now.getTime() - statSync(path).mtimeMs > dayMs);
    for (const path of unused.flatMap((one) => [one, callsLock(one)])) rmSync(path, { force: true });
    const input = [...sessions, ...old].map((ref) => `delete ${ref}\n`).join("");
    await git.text(["update-ref", "--stdin"], { input });
  }
  releasePacks(store);
  // In the background, only if there are many packs, and not what another session writes now.
  await git.text([...usualCompression, "-c", "gc.pruneExpire=1.day.ago", "gc", "--auto", "--quiet"]);
}
