import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { privateDirectoryMode } from "./private-modes.ts";

/**
 * Makes a directory that only its owner sees, and those above it. Not `recursive: true`: below `/proc` Node never returns.
 *
 * @throws the system's error, also when a file is in the way.
 */
export function makePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: privateDirectoryMode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makePrivateDirectory(dirname(path));
    mkdirSync(path, { mode: privateDirectoryMode });
  }
}
