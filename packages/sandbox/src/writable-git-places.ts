import { join } from "node:path";
import { readWorktree, type WorktreeDirectories } from "@ikigai/system";
import { isLink, isThere, textOf } from "./git-directory.ts";
import type { GitPlaces, MissingPlace } from "./known-git-places.ts";

interface GitWriter {
  readonly isDirectory: boolean;
  /** Whether nothing but git writes there, to record work: then a `commondir` cannot appear. */
  readonly isRecording?: boolean;
}

/** Returns what git writes to in a repository that a tool may commit to, and what decides what git runs there. */
export function writableGitPlaces(dotGit: string, { isDirectory, isRecording }: GitWriter): GitPlaces {
  if (isDirectory) return repository(dotGit, [], isRecording);
  const worktree = readableWorktree(dotGit);
  // A submodule, or a file that points to a repository that does not point back: read-only, git cannot commit there.
  if (worktree === undefined) return { writable: [], shown: [dotGit], missing: [] };
  const { gitDir, commonDir } = worktree;
  const own = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name)).filter(isThere);
  const { writable, shown, missing } = repository(commonDir, [gitDir]);
  return { writable, shown: [dotGit, ...own, ...shown], missing };
}

/** A worktree's directories, if they can be read and the repository points back to this worktree. */
function readableWorktree(dotGit: string): WorktreeDirectories | undefined {
  try {
    return readWorktree(dotGit);
  } catch {
    return undefined;
  }
}

/** @param worktrees the directory of the tool's own worktree below `gitDir`, if it works in one. */
function repository(gitDir: string, worktrees: readonly string[], isRecording = false): GitPlaces {
  const hooks = join(gitDir, "hooks");
  const config = join(gitDir, "config");
  const deciding = [hooks, config, join(gitDir, "config.worktree"), join(gitDir, "commondir")];
  // Not a repository yet: it must not become one.
  if (!isThere(join(gitDir, "HEAD"))) return { writable: [], shown: [gitDir], missing: [] };
  // Links could be replaced: then nothing may be changed.
  if (deciding.some(isLink)) return { writable: [], shown: [gitDir], missing: [] };
  const text = textOf(config);
  const usesWorktreeConfig = /worktreeconfig/i.test(text);
  const needed: MissingPlace[] = [
    { path: hooks, mayStay: true },
    { path: config, content: "", mayStay: true },
    // It redirects the whole configuration. Without the file, git uses "." as well.
    ...(isRecording ? [] : [{ path: join(gitDir, "commondir"), content: ".\n", mayStay: false }]),
    ...(usesWorktreeConfig ? [{ path: join(gitDir, "config.worktree"), content: "", mayStay: true }] : []),
  ];
  const kept = ["config.worktree", "modules", "worktrees", ...(isRecording ? ["info", "objects/info"] : [])];
  const others = kept.map((name) => join(gitDir, name));
  return {
    writable: [gitDir, ...worktrees],
    shown: others.filter(isThere),
    missing: needed,
  };
}
