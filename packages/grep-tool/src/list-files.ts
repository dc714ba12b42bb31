import { statSync } from "node:fs";
import { ignoresIn } from "@ikigai/git-files/ignore";
import { glob } from "@ikigai/posix/glob";
import type { SearchGaps } from "@ikigai/tool-files";

/** A path, or its bytes if they are not UTF-8. */
export type FilePath = string | Buffer;

/** Where to search: the files that `path/glob` matches, or the file `path`. Empty strings mean "not given". */
export interface Place {
  readonly glob: string;
  readonly path: string;
}

/** Returns the regular files to search, sorted by their paths' bytes. @param skipsIgnored whether `**` leaves out what git ignores. */
export function listFiles(
  { glob: pattern, path }: Place,
  { onDirectory }: SearchGaps,
  skipsIgnored: boolean,
): Iterable<FilePath> {
  if (isRegularFile(path)) return [path];
  return glob(pattern || "*", {
    filesOnly: true,
    onDirectory,
    ...(path !== "" && { base: path }),
    ...(skipsIgnored && { ignores: ignoresIn }),
  });
}

/**
 * Returns the files below a level that was searched with a glob without a slash: those in its directories, and the hidden ones in itself,
 * which such a glob does not match.
 */
export function* listBelow({ glob: pattern, path }: Place, gaps: SearchGaps): Iterable<FilePath> {
  const prefixLength = path === "" ? 0 : Buffer.byteLength(path) + Number(!path.endsWith("/"));
  const isHiddenOrBelow = (file: FilePath) => {
    const name = typeof file === "string" && file.length === Buffer.byteLength(file) ? file.slice(prefixLength) : "";
    const inside = name || Buffer.from(file as string).toString("latin1", prefixLength);
    return inside.includes("/") || (inside.startsWith(".") && !pattern.startsWith("."));
  };
  for (const file of listFiles({ glob: `**/${pattern || "*"}`, path }, gaps, true))
    if (isHiddenOrBelow(file)) yield file;
}

/** Whether files below the level are searched, too: without a glob, or with one for names only. */
export function hasBelow({ glob: pattern, path }: Place): boolean {
  return !pattern.includes("/") && pattern !== "**" && !isRegularFile(path);
}

/** Whether a path is a regular file, following links. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}
