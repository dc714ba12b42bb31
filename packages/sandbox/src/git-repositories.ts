import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "@ikigai/system";
import { commonDirOf, gitDirNamedBy, hashBytesOf, isGitDirectory, textOf } from "./git-directory.ts";
import { gitLinks, trackedDecisiveFiles } from "./git-links.ts";

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
