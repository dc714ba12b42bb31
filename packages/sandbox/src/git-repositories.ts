import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type IndexEntries, indexEntries, isExact, isInside, readNames, readRegularFile } from "@ikigai/system";
import { decisivePartOf } from "./decisive-files.ts";
import { commonDirOf, gitDirNamedBy, hashBytesOf, isGitDirectory, textOf } from "./git-config.ts";

/* The repositories that git enters on its own from a project, by what their indexes say. */

/** A working tree and its repository that git uses when the user runs it in or around the project. */
export interface Repository {
  /** The root of its working tree. */
  readonly top: string;
  /** The repository; `undefined` for a project or submodule without one. */
  readonly gitDir: string | undefined;
  /** The tracked files and directories in it that determine what runs. */
  readonly decisive: readonly string[];
}

/**
 * Returns the project's repository, the repositories around it, and all their submodules within `roots`: git enters them on its
 * own, at any depth.
 *
 * @param roots the directories a tool may change, without links.
 * @throws Error, a sentence for people, if an index format is unknown.
 */
export function gitRepositories(projectDir: string, roots: readonly string[]): Repository[] {
  const found = new Map<string, Repository>();
  const visit = (top: string): void => {
    if (found.has(top)) return;
    const gitDir = gitDirOf(join(top, ".git"));
    const hashBytes = gitDir === undefined ? 0 : hashBytesOf(textOf(join(commonDirOf(gitDir), "config")));
    const tracked = gitDir === undefined ? [] : trackedDecisiveFiles(gitDir, hashBytes);
    found.set(top, { top, gitDir, decisive: tracked.map((path) => join(top, path)) });
    if (gitDir === undefined) return;
    const links = gitLinks(gitDir, hashBytes);
    for (const path of links.map((link) => join(top, link))) {
      if (roots.some((root) => isInside(path, root))) visit(path);
    }
  };
  visit(projectDir);
  for (let place = projectDir; ; place = dirname(place)) {
    if (gitDirOf(join(place, ".git")) !== undefined) visit(place);
    if (place === dirname(place)) return [...found.values()];
  }
}

/** The repository for a `.git`, which is a directory or a file that points to one. */
function gitDirOf(dotGit: string): string | undefined {
  const gitDir = isFile(dotGit) ? gitDirNamedBy(dotGit) : dotGit;
  return gitDir !== undefined && isGitDirectory(gitDir) ? gitDir : undefined;
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

/** What an index says, as paths relative to the working tree. */
interface Indexed {
  /** The submodules. */
  readonly links: readonly string[];
  /** The files and directories that determine what runs, as far as they are tracked and their names begin with a dot. */
  readonly decisive: readonly string[];
}

/** The last result, by repository directory. */
const last = new Map<string, Indexed & { readonly key: string }>();

/**
 * Returns the submodules in a repository's index, as paths relative
 * to the working tree. git runs what their configuration says.
 *
 * @throws Error, a sentence for people, if the index format is unknown, or a path is not UTF-8.
 */
export function gitLinks(gitDir: string, hashBytes: number): readonly string[] {
  return indexed(gitDir, hashBytes).links;
}

/** Returns the tracked files and directories that determine what runs. @throws as `gitLinks` does. */
function trackedDecisiveFiles(gitDir: string, hashBytes: number): readonly string[] {
  return indexed(gitDir, hashBytes).decisive;
}

/** Read again only if it has changed. */
function indexed(gitDir: string, hashBytes: number): Indexed {
  const files = indexesIn(gitDir);
  const key = files.map(identity).join();
  const known = last.get(gitDir);
  if (known?.key === key) return known;
  const found = files.map((file) => readIndex(file, hashBytes));
  const decisive = found.flatMap(({ dotted }) => dotted.flatMap((path) => decisivePartOf(path) ?? []));
  const read = { key, links: found.flatMap(({ repositories }) => repositories), decisive: [...new Set(decisive)] };
  last.set(gitDir, read);
  return read;
}

/** The index files: an index may be split over several. */
function indexesIn(gitDir: string): string[] {
  const names = readNames(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  // git may remove one meanwhile.
  return names.map((name) => join(gitDir, name)).filter((path) => existsSync(path));
}

function identity(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return `${path}:${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function readIndex(file: string, hashBytes: number): Pick<IndexEntries, "repositories" | "dotted"> {
  const bytes = readRegularFile(file);
  if (bytes.length === 0) return { repositories: [], dotted: [] };
  const entries = indexEntries(bytes, hashBytes);
  if (entries === undefined) throw new Error(`${file} has an unknown format, so the submodules cannot be protected`);
  const inexact = entries.repositories.find((path) => !isExact(path));
  if (inexact === undefined) return entries;
  throw new Error(`${file} names a submodule that is not UTF-8, which cannot be protected: ${inexact}`);
}
