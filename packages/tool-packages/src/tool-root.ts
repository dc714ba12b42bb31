import { existsSync, lstatSync, rmdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { dataRoot, namedDataDirectory } from "@ikigai/core/internal";
import { hereDirectories, hereDirectory, namesIn, readRegularFile, realPathOf, writePrivateFile } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** The user's directory and the project. */
export interface ProjectPlaces {
  readonly home: string;
  readonly projectDir: string;
}

/** Where tools are added: the user's directory, the one for tools that count in one directory only, or a project's `.ikigai/`. */
export interface ToolRoot {
  readonly scope: "user" | "project";
  /** Whether it is the user's for one directory only. */
  readonly isHere: boolean;
  readonly path: string;
  /** The tool directory. */
  readonly tools: string;
  /** The directory of the packages that the tools link into. */
  readonly packages: string;
  /** The record of added packages. */
  readonly recordFile: string;
  /** The mode of new directories: private for the user's, public for a project's, which is committed. */
  readonly fileMode: number;
  readonly directoryMode: number;
}

/**
 * The root that a command with or without `--project` works on.
 *
 * @throws Refusal if the project has no root of its own.
 */
export function toolRoot(places: ProjectPlaces, { isProject }: { readonly isProject: boolean }): ToolRoot {
  if (!isProject) return rootAt(resolve(places.home), "user");
  const root = rootAt(join(places.projectDir, ".ikigai"), "project");
  if (realPathOf(root.path) === realPathOf(places.home))
    throw new Refusal("Not a project: .ikigai here is your own directory. Leave out --project.");
  for (const path of [root.path, root.tools, root.packages]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Refusal(`${path} is a symbolic link out of the project. Replace it with a directory.`);
  }
  return root;
}

/** The root of the user's tools that count in this directory only. */
export function hereRoot(places: ProjectPlaces): ToolRoot {
  return { ...rootAt(hereDirectory(places), "user"), isHere: true };
}

/** The roots of the user's tools that count in this directory, nearest first. */
export function userRoots(places: ProjectPlaces): readonly ToolRoot[] {
  return [hereRoot(places), toolRoot(places, { isProject: false })];
}

/** The data directory of a package, or of a tool that was added as a file. */
export function packageData(owner: string, { scope, path }: ToolRoot, places: ProjectPlaces): string {
  return namedDataDirectory(owner, scope, scope === "user" ? { ...places, home: path } : places);
}

function rootAt(path: string, scope: ToolRoot["scope"]): ToolRoot {
  const isUsers = scope === "user";
  return {
    scope,
    isHere: false,
    path,
    tools: join(path, "tools"),
    packages: join(path, "packages"),
    recordFile: join(path, "tools.json"),
    fileMode: isUsers ? 0o600 : 0o644,
    directoryMode: isUsers ? 0o700 : 0o755,
  };
}

/** The user's own files for one directory. */
export interface HerePlace {
  readonly path: string;
  /** The directory that they are for. */
  readonly directory: string;
}

/** The file that names the directory, since a hash cannot be read back. */
const nameFile = "directory";

/** Records which directory a root is for. @throws the system's error. */
export function recordDirectory({ path }: ToolRoot, { projectDir }: ProjectPlaces): void {
  writePrivateFile(join(path, nameFile), realPathOf(projectDir));
}

/** Removes what is left of a root from which the last package was removed. Files of others stay. */
export function tidyHere({ path, tools, packages, recordFile, isHere }: ToolRoot): void {
  if (!isHere || existsSync(recordFile)) return;
  rmSync(join(path, nameFile), { force: true });
  for (const directory of [tools, packages, dataRoot(path), path]) {
    try {
      rmdirSync(directory);
    } catch {
      // It is missing, or has files.
    }
  }
}

/** The places of all directories. */
export function herePlaces(home: string): readonly HerePlace[] {
  const parent = hereDirectories(home);
  return namesIn(parent).flatMap((name) => {
    const path = join(parent, name);
    try {
      return [{ path, directory: readRegularFile(join(path, nameFile)).toString("utf8") }];
    } catch {
      // Made by hand.
      return [];
    }
  });
}
