import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "../files/read-regular-file.ts";

/** What a sandbox has to know of a project's repository. */
export interface GitPlaces {
  /** Directories that git writes to, and that a tool may therefore change. */
  readonly writable: readonly string[];
  /** What decides what git runs, and is there: only shown. */
  readonly shown: readonly string[];
  /** What would decide it if it were there: to be made first. */
  readonly missing: readonly MissingPlace[];
}

interface MissingPlace {
  readonly path: string;
  /** Of a file; without it, it is a directory. */
  readonly content?: string;
  /** Whether it may stay: git makes the same by itself. */
  readonly mayStay: boolean;
}

/**
 * Reads where a project's repository is, without running git, which could run what a repository's configuration says.
 *
 * @throws Error, a sentence for people, when it is made of links that a sandbox cannot protect.
 */
export function gitPlaces(projectDir: string): GitPlaces {
  const dotGit = join(projectDir, ".git");
  const stats = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined) return { writable: [], shown: [], missing: [{ path: dotGit, mayStay: false }] };
  if (stats.isSymbolicLink()) throw new Error(`${dotGit} is a symbolic link, which cannot be protected`);
  if (stats.isDirectory()) return repository(dotGit, projectDir, []);
  const worktree = worktreeOf(dotGit);
  // A submodule, or a file that claims somebody else's repository: only shown, and git cannot commit there.
  if (worktree === undefined) return { writable: [], shown: [dotGit], missing: [] };
  const { gitDir, commonDir } = worktree;
  const own = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name)).filter(isThere);
  const { writable, shown, missing } = repository(commonDir, projectDir, [gitDir]);
  return { writable, shown: [dotGit, ...own, ...shown], missing };
}

/** A worktree's directories, if the repository names this worktree as its own too. */
function worktreeOf(dotGit: string): { gitDir: string; commonDir: string } | undefined {
  try {
    const [, path = ""] = /^gitdir: (.*)\n?$/.exec(readRegularFile(dotGit).toString()) ?? [];
    const gitDir = realpathSync.native(resolve(dirname(dotGit), path));
    const commonDir = realpathSync.native(
      resolve(gitDir, readRegularFile(join(gitDir, "commondir")).toString().trim()),
    );
    const back = resolve(gitDir, readRegularFile(join(gitDir, "gitdir")).toString().trim());
    const isMutual =
      realpathSync.native(back) === realpathSync.native(dotGit) && dirname(dirname(gitDir)) === commonDir;
    return isMutual ? { gitDir, commonDir } : undefined;
  } catch {
    return undefined;
  }
}

/** @param worktrees the directories below it of which the tool works in one. */
function repository(gitDir: string, projectDir: string, worktrees: readonly string[]): GitPlaces {
  const hooks = join(gitDir, "hooks");
  const config = join(gitDir, "config");
  const deciding = [hooks, config, join(gitDir, "config.worktree"), join(gitDir, "commondir")];
  // Not a repository yet: it must not become one.
  if (!isThere(join(gitDir, "HEAD"))) return { writable: [], shown: [], missing: [{ path: gitDir, mayStay: false }] };
  // Links can be exchanged: then nothing of it may be changed.
  if (deciding.some(isLink)) return { writable: [], shown: [gitDir], missing: [] };
  const text = readIfAny(config);
  const usesWorktreeConfig = /worktreeconfig/i.test(text);
  const needed: MissingPlace[] = [
    { path: hooks, mayStay: true },
    { path: config, content: "", mayStay: true },
    // Its content moves the whole configuration elsewhere. "." is what git takes for granted without the file.
    { path: join(gitDir, "commondir"), content: ".\n", mayStay: false },
    ...(usesWorktreeConfig ? [{ path: join(gitDir, "config.worktree"), content: "", mayStay: true }] : []),
  ];
  const others = [join(gitDir, "config.worktree"), join(gitDir, "modules"), join(gitDir, "worktrees")];
  return {
    writable: [gitDir, ...worktrees],
    shown: [...others.filter(isThere), ...filesNamedIn(text, gitDir, projectDir)],
    missing: needed,
  };
}

/** The hooks and configuration files elsewhere that a configuration names, and that are there. */
function filesNamedIn(config: string, gitDir: string, projectDir: string): string[] {
  const places: string[] = [];
  let section = "";
  for (const line of config.split("\n")) {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, key = "", value = ""] = /(?:^|\])\s*(\w+)\s*=\s*"?([^"#;]+?)"?\s*$/.exec(line) ?? [];
    const path = value.replace(/^~(?=\/)/, homedir());
    if (section === "core" && key.toLowerCase() === "hookspath") places.push(resolve(projectDir, path));
    if (section.startsWith("include") && key.toLowerCase() === "path") places.push(resolve(gitDir, path));
  }
  return places.filter((path) => isThere(path) && !isLink(path));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function readIfAny(path: string): string {
  try {
    return readRegularFile(path).toString();
  } catch {
    return "";
  }
}
