import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { realPathOf } from "@ikigai/system";

/** As many as make two directories with the same digits impossible in practice. */
const idDigits = 16;

/**
 * Returns the place of the user's own tools, packages and data that count in one directory only. Named after the directory's real path,
 * and outside of it: nothing in a project leads there. Loads the module for hashes.
 */
export function hereDirectory({ home, projectDir }: { readonly home: string; readonly projectDir: string }): string {
  const id = createHash("sha256").update(realPathOf(projectDir)).digest("hex").slice(0, idDigits);
  return join(hereDirectories(home), id);
}

/** Returns the directory of all those places. */
export function hereDirectories(home: string): string {
  return join(resolve(home), "projects");
}
