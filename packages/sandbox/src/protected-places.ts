import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makeIfMissing } from "@ikigai/system";
import { decisiveFilesIn } from "./decisive-files.ts";
import { gitPlaces } from "./git-places.ts";
import { programPlaces } from "./program-places.ts";
import type { SandboxPolicy } from "./sandbox-policy.ts";

/** Places that need an exception from the rule "writable inside the project, read-only outside". */
export interface ProtectedPlaces {
  /** Writable although it may be outside the project: the repository of a worktree. */
  readonly writable: readonly string[];
  /** Read-only wherever it is, since it decides what runs. All of it exists. */
  readonly shown: readonly string[];
  /** Read-only where it is: the directories around it can be renamed, as a project's work may need. */
  readonly tracked: readonly string[];
}

/**
 * Finds everything that decides what runs automatically (`.ikigai`, git's hooks and configuration, this program), and creates
 * what is missing, since mounts can only protect existing paths.
 *
 * @param projectDir without links, like `roots`, the directories that may be changed.
 * @throws Error, a sentence for people, if something cannot be protected.
 */
export function protectedPlaces(projectDir: string, roots: readonly string[], policy: SandboxPolicy): ProtectedPlaces {
  const own = join(projectDir, ".ikigai");
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${own} is a symbolic link, which cannot be protected`);
  }
  const program = programPlaces(roots, policy.environment);
  const git = gitPlaces(projectDir, roots, policy);
  const { placeholders, home } = policy;
  for (const path of git.shown) placeholders.adopt(path, home);
  const made = git.missing.filter(({ path, content, mayStay, isClosed }) => {
    return mayStay ? makeIfMissing(path, content) : placeholders.hold({ path, content, isClosed }, home);
  });
  const held = placeholders.hold({ path: own }, home) ? [own] : [];
  return {
    writable: git.writable,
    tracked: git.tracked ?? [],
    shown: [...held, ...program, ...roots.flatMap(decisiveFilesIn), ...git.shown, ...made.map(({ path }) => path)],
  };
}
