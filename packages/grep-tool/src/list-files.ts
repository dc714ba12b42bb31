import { statSync } from "node:fs";
import { glob } from "@ikigai/posix-glob";

/** A path, or its bytes where these are not UTF-8. */
export type FilePath = string | Buffer;

/** The regular files to search, in the order of their paths' bytes: those that `path/pattern` finds, or `path` itself. */
export function listFiles(pattern = "*", path = ""): Iterable<FilePath> {
  if (isRegularFile(path)) return [path];
  return glob(pattern, { filesOnly: true, ...(path !== "" && { base: path }) });
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
