// Gives files the state of a snapshot: what is in the way, the check that nothing has changed meanwhile, git's update of the files, the
// permission bits.
import { randomUUID } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { utf8Text } from "@ikigai/system";
import { type Git, GitFailure } from "./git.ts";
import {
  bitsOf,
  bytesOf,
  directoryTest,
  type FileChange,
  type FileState,
  filesIn,
  noFile,
  readMeta,
  type SavedSnapshot,
  type SnapshotPlace,
} from "./snapshot.ts";

interface Restoring {
  /** The snapshot to go back to. */
  readonly to: string;
  readonly changes: readonly FileChange[];
  /** The files that are in the way. */
  readonly blocking: readonly string[];
}

/** The files where directories belong, and those in directories where files belong. Git may ignore them, and would remove them then. */
export function blockingFiles(root: string, changes: readonly FileChange[]): string[] {
  const isDirectory = directoryTest(root);
  const back = changes.flatMap(({ name, to }) => (to === undefined ? [] : [name]));
  const isFile = (name: string) => lstatSync(bytesOf(root, name), { throwIfNoEntry: false })?.isDirectory() === false;
  const parents = directoriesOf(back).filter((name) => isDirectory(dirname(name)) && isFile(name));
  const below = (directory: string): string[] =>
    readdirSync(bytesOf(root, directory), { encoding: "latin1" }).flatMap((entry) => {
      const name = `${directory}/${entry}`;
      return isFile(name) ? [name] : below(name);
    });
  return [...parents, ...back.filter(isDirectory).flatMap(below)];
}

/** Gives files the state `to` of changes that begin at this snapshot, in which the files are now. */
export async function restoreFiles(
  place: SnapshotPlace,
  now: SavedSnapshot,
  { to, changes, blocking }: Restoring,
): Promise<void> {
  const { git, index, root } = place;
  const [meta, found] = await Promise.all([readMeta(git, to), statesIn(git, now.snapshot.id)]);
  const moved = changes.filter(({ name, from }) => !isSame(found.get(name), from));
  if (moved.length > 0) {
    const names = moved.slice(0, 3).map(({ name }) => utf8Text(name));
    throw new GitFailure("changed_meanwhile", `Nothing was restored: ${names.join(", ")} changed in the meantime.`);
  }
  const unsaved = blocking.find((name) => !found.has(name));
  if (unsaved !== undefined)
    throw new GitFailure(
      "in_the_way",
      `Nothing was restored: ${utf8Text(unsaved)} is in the way, and cannot be saved.`,
    );
  const temporary = `${index}.to`;
  openDirectories(root, changes);
  const aside = putAside(root, changes);
  try {
    await git.text(["read-tree", now.tree], { index: temporary });
    // Removals first: a directory may become a file.
    const sorted = [...changes].sort((a, b) => Number(a.to !== undefined) - Number(b.to !== undefined));
    const lines = sorted.map(
      (change) => `${change.to ? `${change.to.mode} ${change.to.object}` : noFile}\t${change.name}\0`,
    );
    const input = lines.join("");
    await git.text(["update-index", "-z", "--replace", "--index-info"], { index: temporary, input });
    const target = (await git.text(["write-tree"], { index: temporary })).trim();
    await git.text(["read-tree", "-m", "-u", now.tree, target], { index, workTree: root, isPrivate: true });
  } catch (error) {
    for (const { from, to } of aside)
      if (lstatSync(from, { throwIfNoEntry: false }) === undefined) renameSync(to, from);
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  for (const { name, to } of changes) if (to?.bits !== undefined) chmodSync(bytesOf(root, name), to.bits);
  // From the deepest on: a directory that becomes read-only hides those below it.
  for (const name of directoriesOf(changes.flatMap(({ name, to }) => (to === undefined ? [] : [name]))))
    chmodSync(bytesOf(root, name), bitsOf(meta, `${name}/`, "040000") ?? 0o755);
}

/** Makes room for files in whose place there is now what cannot be saved, such as a larger file: it stays under another name. */
function putAside(root: string, changes: readonly FileChange[]): { readonly from: Buffer; readonly to: Buffer }[] {
  const isDirectory = directoryTest(root);
  const unsaved = changes.filter(
    ({ name, from, to }) =>
      to !== undefined &&
      from === undefined &&
      isDirectory(dirname(name)) &&
      lstatSync(bytesOf(root, name), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  return unsaved.map(({ name }) => {
    const [from, wanted] = [bytesOf(root, name), bytesOf(root, `${name}.before-undo`)];
    const isFree = lstatSync(wanted, { throwIfNoEntry: false }) === undefined;
    const to = isFree ? wanted : bytesOf(root, `${name}.before-undo-${randomUUID()}`);
    renameSync(from, to);
    return { from, to };
  });
}

/** Lets files be replaced in directories that have become read-only. */
function openDirectories(root: string, changes: readonly FileChange[]): void {
  const isDirectory = directoryTest(root);
  for (const name of directoriesOf(changes.map(({ name }) => name))
    .reverse()
    .filter(isDirectory)) {
    const path = bytesOf(root, name);
    const { mode } = statSync(path);
    if ((mode & 0o300) !== 0o300) chmodSync(path, (mode & 0o7777) | 0o700);
  }
}

/** The directories around files, those of the project only, the deepest first. */
function directoriesOf(names: readonly string[]): string[] {
  const found = new Set<string>();
  for (const name of names) for (let at = dirname(name); at !== "." && !found.has(at); at = dirname(at)) found.add(at);
  return [...found].sort((a, b) => b.split("/").length - a.split("/").length);
}

function isSame(one: FileState | undefined, other: FileState | undefined): boolean {
  return one?.object === other?.object && one?.mode === other?.mode && one?.bits === other?.bits;
}

/** The states of the files in a snapshot. */
async function statesIn(git: Git, id: string): Promise<Map<string, FileState>> {
  const meta = await readMeta(git, id);
  const files = await filesIn(git, meta);
  return new Map(
    [...files].map(([name, { mode, object }]) => [name, { mode, object, bits: bitsOf(meta, name, mode) }]),
  );
}
