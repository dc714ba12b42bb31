import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** A path without links; of what is not there, the absolute path. */
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
    // A relative path, and our own working directory is gone.
    return path;
  }
}
