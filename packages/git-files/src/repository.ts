// The repository around a project, as far as undo needs it, read without running anything of it: where it is, which files it
// ignores or tracks, and its objects and commits, which the shadow repository keeps.
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { readRegularFile } from "@ikigai/system";
import { fields, type Git } from "./git.ts";

export interface Repository {
  /** The directory of its files. */
  readonly root: string;
  /** Its own directory: `.git`, or a worktree's or a submodule's part of another. */
  readonly gitDir: string;
  /** The directory with its objects, branches and `info/exclude`. */
  readonly commonDir: string;
}

/** Finds the repository whose files include this directory; `undefined` without one that can be read. */
export function repositoryOf(directory: string): Repository | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found || dirname(at) === at) return found;
  }
}

/** The repository with its `.git` in this directory. */
export function repositoryAt(root: string): Repository | undefined {
  try {
    const dotGit = join(root, ".git");
    const stats = lstatSync(dotGit, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const link = stats.isFile() ? /^gitdir: (.+?)[\r\n]*$/s.exec(readRegularFile(dotGit).toString())?.[1] : undefined;
    const gitDir = link === undefined ? dotGit : resolve(root, link);
    if (!existsSync(join(gitDir, "HEAD"))) return undefined;
    const common = join(gitDir, "commondir");
    const commonDir = existsSync(common) ? resolve(gitDir, readRegularFile(common).toString().trimEnd()) : gitDir;
    return { root, gitDir, commonDir };
  } catch {
    return undefined;
  }
}

/** The options with which git lists files as this repository would. */
export function excludeOptions(repository: Repository | undefined, excludes: string | undefined): string[] {
  const files = [excludes, repository && join(repository.commonDir, "info/exclude")];
  return [
    "--exclude-per-directory=.gitignore",
    ...files.flatMap((file) => (file !== undefined && existsSync(file) ? [`--exclude-from=${file}`] : [])),
  ];
}

/** The files that a repository tracks although it ignores them. Empty if its index cannot be read. */
export async function trackedIgnored(git: Git, repository: Repository, options: readonly string[]): Promise<string[]> {
  const index = join(repository.gitDir, "index");
  if (!existsSync(index)) return [];
  try {
    return fields(await git.text(["ls-files", "-z", "-c", "-i", ...options], { index, workTree: repository.root }));
  } catch {
    // A split index, or one of another hash function.
    return [];
  }
}

/** Changes when a file does. */
export function signatureOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

/** What a repository's commits were when they were kept. */
export type Kept = { signature: string };

/**
 * Keeps a repository's objects in the store, as hard links, and its branches, stashes and latest commits alive under
 * `refs/ikigai/kept/DATE`. Does nothing if they are as they were. What cannot be read is left out: this is a second net.
 */
export async function keepRepository(git: Git, store: string, repository: Repository, kept: Kept): Promise<void> {
  const { gitDir, commonDir } = repository;
  // They change when a commit is made or a branch moves.
  const files = [`${gitDir}/logs/HEAD`, `${commonDir}/logs/refs/stash`, `${commonDir}/packed-refs`, `${gitDir}/HEAD`];
  const signature = files.map(signatureOf).join();
  if (signature === kept.signature) return;
  for (const objects of objectDirectories(join(commonDir, "objects")))
    await linkObjects(objects, join(store, "objects"));
  kept.signature = signature;
  try {
    const known = new Set(
      (await git.text(["for-each-ref", "--format=%(objectname)", "refs/ikigai/kept"])).split("\n").filter(Boolean),
    );
    const tips = [...new Set([...(await branchTips(git, repository)), ...loggedCommits(repository)])];
    const fresh = tips.filter((tip) => !known.has(tip));
    if (fresh.length === 0) return;
    const checked = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
      input: fresh.map((tip) => `${tip}\n`).join(""),
    });
    const date = new Date().toISOString().slice(0, 10);
    const commits = checked.split("\n").flatMap((line) => /^(\w+) commit$/.exec(line)?.[1] ?? []);
    await git.text(["update-ref", "--stdin"], {
      input: commits.map((commit) => `update refs/ikigai/kept/${date}/${commit} ${commit}\n`).join(""),
    });
  } catch {
    // Objects are missing, for instance in a partial clone.
  }
}

/** The object directory and those that it borrows from. */
function objectDirectories(objects: string, depth = 0): string[] {
  const file = join(objects, "info/alternates");
  if (depth > 5 || !existsSync(file)) return [objects];
  const named = readRegularFile(file)
    .toString()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return [
    objects,
    ...named.flatMap((path) => objectDirectories(isAbsolute(path) ? path : resolve(objects, path), depth + 1)),
  ];
}

const objectName = /^[0-9a-f]{38,62}$/;
const packName = /^pack-[0-9a-f]+\.(pack|idx|rev)$/;

/** Objects and packs never change, so a hard link is a copy. */
async function linkObjects(from: string, to: string): Promise<void> {
  const names = namesIn(from);
  for (const folder of names.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    // Others have their turn.
    await setImmediate();
    const wanted = namesIn(join(from, folder)).filter((name) => objectName.test(name));
    linkMissing(join(from, folder), join(to, folder), wanted);
  }
  const packs = join(to, "pack");
  const found = namesIn(join(from, "pack")).filter((name) => packName.test(name));
  // Kept as they are: packing them again would double them on the disk.
  for (const name of found)
    if (name.endsWith(".pack") && !existsSync(join(packs, name))) writeFileSync(keepFile(join(packs, name)), "");
  // An index makes its pack known, so it comes last.
  for (const ending of ["pack", "rev", "idx"]) {
    const names = found.filter((name) => name.endsWith(ending));
    linkMissing(join(from, "pack"), packs, names);
  }
}

function keepFile(pack: string): string {
  return pack.replace(/\.pack$/, ".keep");
}

/** Lets git pack again what only the store has now: the project has packed it again, or is gone. */
export function releasePacks(store: string): void {
  const packs = join(store, "objects/pack");
  for (const name of namesIn(packs).filter((one) => one.endsWith(".pack")))
    if (statSync(join(packs, name)).nlink === 1) rmSync(keepFile(join(packs, name)), { force: true });
}

function linkMissing(from: string, to: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const there = new Set(namesIn(to));
  const missing = names.filter((name) => !there.has(name));
  if (missing.length > 0 && !existsSync(to)) mkdirSync(to);
  for (const name of missing) linkOrCopy(join(from, name), join(to, name));
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    // Another file system, or another user's file.
    copyFileSync(from, `${to}.tmp`);
    renameSync(`${to}.tmp`, to);
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** More are a mirror of others' branches, which others keep. */
const maxTips = 1_000;

async function branchTips(git: Git, { gitDir }: Repository): Promise<string[]> {
  const format = ["--format=%(objectname)", `--count=${maxTips}`, "--sort=-committerdate"];
  const printed = await git.text(["for-each-ref", ...format, "refs/heads", "refs/stash"], { gitDir });
  return printed.split("\n").filter(Boolean);
}

/** The newest commits in the logs of HEAD and the stash, which a reset or a dropped stash leaves without a name. */
function loggedCommits({ gitDir, commonDir }: Repository): string[] {
  return [join(gitDir, "logs/HEAD"), join(commonDir, "logs/refs/stash")].flatMap((file) => {
    if (!existsSync(file)) return [];
    const lines = readRegularFile(file).toString("latin1").split("\n").slice(-200);
    return lines.flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
  });
}
