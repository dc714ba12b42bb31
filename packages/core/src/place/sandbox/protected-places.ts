import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makeIfMissing } from "@ikigai/system";
import { adoptPlace, holdPlace } from "../../leftovers/placeholder.ts";
import { gitPlaces } from "./git-places.ts";
import { programPlaces } from "./program-places.ts";
import type { SandboxPolicy } from "./sandbox-policy.ts";

/** What of a project needs more than being inside or outside of it. */
export interface ProtectedPlaces {
  /** To be changed although it may lie outside the project: the repository of a worktree. */
  readonly writable: readonly string[];
  /** Only shown, wherever it lies: what decides what runs. All of it exists. */
  readonly shown: readonly string[];
}

/**
 * Finds what decides what runs by itself (`.ikigai`, git's hooks and configuration, this program), and makes what is missing of it, since
 * a sandbox of mounts can only protect what is there.
 *
 * @param projectDir without links, as are `roots`: the directories that may be changed.
 * @throws Error, a sentence for people, when it cannot be protected.
 */
export function protectedPlaces(projectDir: string, roots: readonly string[], policy: SandboxPolicy): ProtectedPlaces {
  const own = join(projectDir, ".ikigai");
  if (lstatSync(own, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${own} is a symbolic link, which cannot be protected`);
  }
  const registry = join(policy.home, "cache", "sandbox");
  const program = programPlaces(roots, policy.environment);
  const git = gitPlaces(projectDir, roots, policy);
  for (const path of git.shown) adoptPlace(path, registry);
  const made = git.missing.filter(({ path, content, mayStay }) => {
    return mayStay ? makeIfMissing(path, content) : holdPlace({ path, content }, registry);
  });
  const held = holdPlace({ path: own }, registry) ? [own] : [];
  return { writable: git.writable, shown: [...held, ...program, ...git.shown, ...made.map(({ path }) => path)] };
}
