import { statSync } from "node:fs";
import { glob, type SearchGaps } from "@ikigai/posix-glob";

/** A path, or its bytes if they are not UTF-8. */
export type FilePath = string | Buffer;

/** Where to search: the files that `path/glob` matches, or the file `path`. Empty strings mean "not given". */
export interface Place {
  readonly glob: string;
  readonly path: string;
}

/** Returns the regular files to search, sorted by their paths' bytes. */
export function listFiles({ glob: pattern, path }: Place, { onDirectory }: SearchGaps): Iterable<FilePath> {
  if (isRegularFile(path)) return [path];
  return glob(pattern || "*", { filesOnly: true, onDirectory, ...(path !== "" && { base: path }) });
}

/** Whether a path is a regular file, following links. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
