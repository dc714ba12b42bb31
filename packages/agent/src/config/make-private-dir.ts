import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory that only its owner sees, and those above it. Not `recursive: true`: below `/proc` that never returns.
 *
 * @throws the system's error, also when a file is in the way.
 */
export function makePrivateDir(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makePrivateDir(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
