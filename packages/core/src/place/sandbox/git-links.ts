import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { indexEntries, isExact, readNames, readRegularFile } from "@ikigai/system";

/** The last result, by repository directory. */
const last = new Map<string, { readonly key: string; readonly paths: readonly string[] }>();

/**
 * Returns the submodules in a repository's index, as paths relative
 * to the working tree. git runs what their configuration says.
 *
 * @throws Error, a sentence for people, if the index format is unknown, or a path is not UTF-8.
 */
export function gitLinks(gitDir: string, hashBytes: number): readonly string[] {
  const files = indexesIn(gitDir);
  const key = files.map(identity).join();
  const known = last.get(gitDir);
  if (known?.key === key) return known.paths;
  const paths = files.flatMap((file) => linksIn(file, hashBytes));
  last.set(gitDir, { key, paths });
  return paths;
}

/** The index files: an index may be split over several. */
function indexesIn(gitDir: string): string[] {
  const names = readNames(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  // git may remove one meanwhile.
  return names.map((name) => join(gitDir, name)).filter((path) => existsSync(path));
}

function identity(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return `${path}:${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function linksIn(file: string, hashBytes: number): readonly string[] {
  const bytes = readRegularFile(file);
  if (bytes.length === 0) return [];
  const entries = indexEntries(bytes, hashBytes);
  if (entries === undefined) throw new Error(`${file} has an unknown format, so the submodules cannot be protected`);
  const inexact = entries.repositories.find((path) => !isExact(path));
  if (inexact === undefined) return entries.repositories;
  throw new Error(`${file} names a submodule that is not UTF-8, which cannot be protected: ${inexact}`);
}
