import { accessSync, constants, existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readEntries, statsOf } from "@ikigai/system";

/** What git requires of a `HEAD` that is a file, and slightly more. */
const wholeHead = /^(?:ref: refs\/\S+|[0-9a-f]{40}(?:[0-9a-f]{24})?)\n$/;

/** Returns the directory of the repository that git would use, or of something that git might take for one. */
export function findTop(from: string): string | undefined {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    if (statsOf(join(directory, ".git"), lstatSync) || looksBare(directory)) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

/**
 * Whether git may treat a directory as a repository although it has no `.git`. Git accepts a dangling symlink as `HEAD`; the
 * objects may be in the directory that `commondir` or the environment names.
 */
function looksBare(directory: string): boolean {
  return statsOf(join(directory, "HEAD"), lstatSync) !== undefined;
}

/** Whether git certainly treats a directory as a repository; otherwise it searches further up. */
export function isRepository(git: string): boolean {
  try {
    for (const name of ["objects", "refs"]) {
      if (!lstatSync(join(git, name)).isDirectory()) return false;
      accessSync(join(git, name), constants.X_OK);
    }
    const head = join(git, "HEAD");
    return lstatSync(head).isFile() && wholeHead.test(readFileSync(head, "utf8"));
  } catch {
    return false;
  }
}

/** Returns why a repository may contain files from elsewhere: through a symlink, or through another repository's objects. */
export function elsewhereProblem(git: string, budget: { entries: number }): string | undefined {
  for (const name of ["alternates", "http-alternates"]) {
    if (existsSync(join(git, "objects", "info", name))) return "it takes objects from another repository";
  }
  const level = [git];
  for (let directory = level.pop(); directory !== undefined; directory = level.pop()) {
    const entries = entriesOf(directory);
    if (entries === undefined) return "it cannot be fully inspected";
    budget.entries -= entries.length;
    if (budget.entries < 0) return "it is too large to inspect";
    for (const entry of entries) {
      // Hooks are checked separately; submodule repositories and lfs data are not read here.
      if (directory === git && /^(?:hooks|modules|lfs)$/.test(entry.name)) continue;
      if (entry.isSymbolicLink()) return "it contains symlinks";
      if (entry.isDirectory()) level.push(join(directory, entry.name));
    }
  }
  return undefined;
}

/** Returns the first of some paths below a directory that is a symlink or is reached through one. */
export function behindLink(top: string, directories: Iterable<string>): string | undefined {
  const known = new Set<string>();
  for (const directory of directories) {
    for (let each = directory; each !== "." && each !== "/" && !known.has(each); each = dirname(each)) {
      known.add(each);
      if (statsOf(join(top, each), lstatSync)?.isSymbolicLink()) return each;
    }
  }
  return undefined;
}

function entriesOf(directory: string) {
  try {
    return readEntries(directory);
  } catch {
    return undefined;
  }
}
