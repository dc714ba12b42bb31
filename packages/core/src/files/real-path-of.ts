import { realpathSync } from "node:fs";
import { resolve } from "node:path";

/** A path without links; of what is not there, the absolute path. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
