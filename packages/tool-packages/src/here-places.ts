import { existsSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dataRoot, hereDirectories } from "@ikigai/core/internal";
import { namesIn, readRegularFile, realPathOf, writePrivateFile } from "@ikigai/system";
import type { ProjectPlaces, ToolRoot } from "./tool-root.ts";

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
