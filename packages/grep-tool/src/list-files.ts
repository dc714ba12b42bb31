import { statSync } from "node:fs";
import { glob, type SearchGaps } from "@ikigai/posix-glob";

/** A path, or its bytes where these are not UTF-8. */
export type FilePath = string | Buffer;

/** Where to look for files: those that `path/glob` finds, or `path` itself. An empty glob or path is none. */
export interface Place {
  readonly glob: string;
  readonly path: string;
}

/** The regular files to search, in the order of their paths' bytes. */
export function listFiles({ glob: pattern, path }: Place, { onDirectory }: SearchGaps): Iterable<FilePath> {
  if (isRegularFile(path)) return [path];
  return glob(pattern || "*", { filesOnly: true, onDirectory, ...(path !== "" && { base: path }) });
}

export function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
