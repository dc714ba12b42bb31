import { mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { privateDirectoryMode } from "./private-modes.ts";

/** The user's own directory, and a project's: what they are in is not ikigai's to make. */
const ownName = ".ikigai";

/**
 * Makes a directory that only its owner sees, and those above it up to `.ikigai`: a home that does not exist stays so. Not `recursive: true`: below `/proc` Node never returns.
 *
 * @throws the system's error, also when a file is in the way.
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
