import { mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { privateDirectoryMode } from "./private-modes.ts";

/** The user's directory and a project's have this name. Their parents are not created. */
const ownName = ".ikigai";

/**
 * Creates a directory that only its owner can access, and its parents up to `.ikigai`; a missing home is not created.
 *
 * @throws the system's error, also if a file is in the way.
 */
export function makePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: privateDirectoryMode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path || basename(path) === ownName) throw error;
    makePrivateDirectory(dirname(path));
    mkdirSync(path, { mode: privateDirectoryMode });
  }
}
