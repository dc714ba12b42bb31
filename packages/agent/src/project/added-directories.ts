// The directories that a user adds to the project: `--add-dir`, `/add-dir` and the setting `directories`. They count as the project: for file
// tools, rules, searches, the sandbox, undo and instructions. What would open the user's whole home, or ikigai's own files, is refused.
// Then `/cd`: the directory of these, or below, in which calls run.

import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { isSystemError } from "@ikigai/models";
import { callDirectory, type Permission, projectsOf } from "@ikigai/permission";
import { isInside, readProblem, realPathOf } from "@ikigai/system";

/** What a directory must not open, and where a relative one begins. */
interface DirectoryPlaces {
  /** The user's directory, `~/.ikigai`. */
  readonly home: string;
  readonly userHome: string;
  readonly projectDir: string;
}

/** A directory to add, without links, or why it cannot be: a sentence. */
export type DirectoryToAdd = { readonly path: string } | { readonly problem: string };

/** Returns a directory as the user names it: absolute, below home as `~/NAME`, or relative to the working directory. */
export function directoryToAdd(given: string, { home, userHome, projectDir }: DirectoryPlaces): DirectoryToAdd {
  const named = resolve(projectDir, given.replace(/^~(?=\/|$)/, userHome));
  try {
    if (!statSync(named).isDirectory()) return { problem: `${named} is not a directory.` };
    const path = realPathOf(named);
    const [own, person] = [realPathOf(home), realPathOf(userHome)];
    const overlap = person === path ? "is your home directory" : "contains your home directory";
    if (isInside(person, path)) return { problem: `${path} ${overlap}: tools could change all of it.` };
    if (isInside(path, own) || isInside(own, path)) return { problem: `${path} has ikigai's own files in it.` };
    return { path };
  } catch (error) {
    return { problem: problemOf(error, named) };
  }
}

/** Adds a directory to the project, unless it is in it already. Returns whether it was. */
export function addDirectory(permission: Pick<Permission, "projectDir" | "directories">, path: string): boolean {
  if (projectsOf(permission).some((project) => isInside(path, project))) return false;
  const others = (permission.directories ?? []).filter((one) => !isInside(one, path));
  permission.directories = [...others, path];
  return true;
}

/** Moves to a directory of the project, in which calls run from then on. Returns why that cannot be: a sentence. */
export function changeDirectory(permission: Permission, given: string, userHome: string): string | undefined {
  const named = resolve(callDirectory(permission), given.replace(/^~(?=\/|$)/, userHome));
  try {
    if (!statSync(named).isDirectory()) return `${named} is not a directory.`;
    accessSync(named, constants.R_OK | constants.X_OK);
    const path = realPathOf(named);
    if (!projectsOf(permission).some((project) => isInside(path, project)))
      return `${path} is not in the project. To add it: /add-dir ${path}`;
    permission.cwd = path === realPathOf(permission.projectDir) ? undefined : path;
    return undefined;
  } catch (error) {
    return problemOf(error, named);
  }
}

function problemOf(error: unknown, named: string): string {
  if (!isSystemError(error)) throw error;
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return `No such directory: ${named}`;
  return `${named} ${readProblem(error as NodeJS.ErrnoException, named)}`;
}

/** The directories that a conversation begins with. */
interface FirstDirectories {
  /** As the user names them. */
  readonly configured: readonly string[] | undefined;
  /** As `directoryToAdd` returns them. */
  readonly given: readonly string[];
}

/** Adds the directories that a conversation begins with. Returns what the user should know of those that cannot be. */
export function addDirectories(
  permission: Permission,
  places: DirectoryPlaces,
  { configured = [], given }: FirstDirectories,
): string[] {
  const problems = configured.flatMap((one) => {
    const found = directoryToAdd(one, places);
    if ("problem" in found) return [`The setting directories: ${found.problem}`];
    addDirectory(permission, found.path);
    return [];
  });
  for (const path of given) addDirectory(permission, path);
  return problems;
}
