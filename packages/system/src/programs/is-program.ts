import { accessSync, constants, statSync } from "node:fs";

/** Whether a path leads to a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    // Most files that are asked about do not exist, and an error costs five times as much as the answer.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
