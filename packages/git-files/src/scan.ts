// What has changed since the last snapshot, found without starting git. Most snapshots find nothing: they cost one look at each file and
// directory.
//
// Saved files are compared with the session's index. New files are where a directory has changed, or a file with rules of what git ignores.
import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "@ikigai/system";
import { type Ignores, listingRules } from "./ignore.ts";
import { readStatEntries } from "./index-file.ts";
import { type Repository, repositoryAt } from "./repository.ts";

/** In larger projects git is faster, and does not keep this process busy. */
const maxDirectories = 5_000;

/** About as many files. */
const maxIndexBytes = 524_288;

/**
 * How long a change may go unseen, in milliseconds, since it has the time of one before it: while the system's clock stands, or where a file
 * system counts whole seconds, or two.
 */
function tickMs({ ctimeMs }: Stats): number {
  return ctimeMs % 1_000 === 0 ? 3_000 : 10;
}

/** The saved files that may have changed. */
export interface ScannedFiles {
  readonly changed: readonly string[];
  /** Whether a file is saved. */
  has(name: string): boolean;
}

/**
 * Compares the files with the index; `undefined` if there are too many.
 *
 * @param sinceMs when the index was known to be right, in milliseconds: later changes may have left no trace.
 */
export function scanFiles(
  index: string,
  sinceMs: number,
  statsOf: (name: string) => Stats | undefined,
): ScannedFiles | undefined {
  if (statSync(index).size > maxIndexBytes) return undefined;
  const entries = readStatEntries(readRegularFile(index));
  const changed = [...entries].flatMap(([name, isEntry]) => {
    const stats = statsOf(name);
    return stats && isEntry(stats) && stats.ctimeMs + tickMs(stats) < sinceMs ? [] : [name];
  });
  return { changed, has: (name) => entries.has(name) };
}

/** What decides which files are new: the directories that git does not ignore, and the files with its rules. By path, how each was. */
export type ScannedDirectories = ReadonlyMap<string, string>;

/** Where to look. */
interface ScanPlace {
  readonly repository: Repository | undefined;
  readonly root: string;
  readonly scope: string;
  readonly excludes: string | undefined;
}

/** Looks at the directories; returns `known` if nothing has changed, `undefined` if there are too many. */
export function scanDirectories(place: ScanPlace, known?: ScannedDirectories): ScannedDirectories | undefined {
  const nowMs = Date.now();
  if (known && [...known].every(([path, was]) => was !== "" && was === stampOf(path, nowMs))) return known;
  const stamps = new Map<string, string>();
  const look = (path: string) => stamps.set(path, stampOf(path, nowMs));
  const { repository, excludes, scope } = place;
  const root = latin1(place.root);
  if (excludes !== undefined) look(latin1(excludes));
  const lookAtRepository = ({ gitDir, commonDir }: Repository) => {
    look(latin1(join(gitDir, "index")));
    look(latin1(join(commonDir, "info/exclude")));
  };
  if (repository) lookAtRepository(repository);
  const visit = (directory: string, rulesOf: (names: ReadonlySet<string>) => Ignores): boolean => {
    look(directory);
    const entries = entriesIn(directory);
    const names = new Set(entries.map(({ name }) => name));
    if (names.has(".gitignore")) look(`${directory}/.gitignore`);
    const nested = names.has(".git") && directory !== root ? repositoryAt(utf8(directory)) : undefined;
    if (nested) lookAtRepository(nested);
    const rules = rulesOf(names);
    return entries.every(
      ({ name, isDirectory }) =>
        !isDirectory ||
        name === ".git" ||
        rules.rulesOut(name) ||
        (stamps.size < maxDirectories && visit(`${directory}/${name}`, (below) => rules.below(name, below))),
    );
  };
  const parts = scope === "." ? [] : latin1(scope).split("/");
  const isWhole = visitScope(root, parts, excludes, { look, visit });
  return isWhole ? stamps : undefined;
}

/** Goes down to the project, whose rules are also those of the directories that it is in. */
function visitScope(
  root: string,
  parts: readonly string[],
  excludes: string | undefined,
  { look, visit }: { look(path: string): void; visit(directory: string, rulesOf: RulesOf): boolean },
): boolean {
  let directory = root;
  let rulesOf: RulesOf = (names) => listingRules(root, names, excludes);
  for (const name of parts) {
    look(`${directory}/.gitignore`);
    const rules = rulesOf(new Set(entriesIn(directory).map((entry) => entry.name)));
    rulesOf = (names) => rules.below(name, names);
    directory += `/${name}`;
  }
  return visit(directory, rulesOf);
}

type RulesOf = (names: ReadonlySet<string>) => Ignores;

/** How a file is; empty if its next change may not be seen. */
function stampOf(path: string, nowMs: number): string {
  let stats: Stats | undefined;
  try {
    stats = statSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
  } catch {
    // Git cannot reach it, either.
  }
  if (stats === undefined) return "missing";
  return stats.ctimeMs + tickMs(stats) < nowMs ? `${stats.ctimeMs} ${stats.ino} ${stats.size}` : "";
}

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** The entries of a directory; empty if it cannot be read. */
function entriesIn(directory: string): Entry[] {
  try {
    const entries = readdirSync(Buffer.from(directory, "latin1"), { encoding: "latin1", withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  } catch {
    return [];
  }
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
