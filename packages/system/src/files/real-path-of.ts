import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** Returns the path without links; if it does not exist, the absolute path. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolved(path);
  }
}

function resolved(path: string): string {
  try {
    return resolve(path);
  } catch {
    // A relative path, and the working directory was deleted.
    return path;
  }
}
