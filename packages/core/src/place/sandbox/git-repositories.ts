import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "@ikigai/system";
import { commonDirOf, gitDirNamedBy, hashBytesOf, isGitDirectory, textOf } from "./git-directory.ts";
import { gitLinks } from "./git-links.ts";

/** A working tree with its repository, that git takes notice of when the user runs it in the project or around it. */
export interface Repository {
  /** The root of its working tree. */
  readonly top: string;
  /** Where it is; `undefined` for a project, or a submodule, that has none yet. */
  readonly gitDir: string | undefined;
}

/**
 * The project's repository, those that the project lies in, and the submodules in it of all of these: git looks into them
 * by itself, however deep.
 *
 * @param roots the directories that a tool may change, without links: of what lies elsewhere nothing needs to be known.
 * @throws Error, a sentence for people, when an index is not understood.
 */
export function gitRepositories(projectDir: string, roots: readonly string[]): Repository[] {
  const found = new Map<string, Repository>();
  const visit = (top: string): void => {
    if (found.has(top)) return;
    const gitDir = gitDirOf(join(top, ".git"));
    found.set(top, { top, gitDir });
    if (gitDir === undefined) return;
    const links = gitLinks(gitDir, hashBytesOf(textOf(join(commonDirOf(gitDir), "config"))));
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

/** The repository at a `.git`, whether that is a directory or a file that names one. */
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
