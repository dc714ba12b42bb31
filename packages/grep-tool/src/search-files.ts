import { statSync } from "node:fs";
import type { Regex } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import { type Match, MatchList } from "./match-list.ts";
import { mergeFound } from "./merge-found.ts";
import { FileSearch } from "./search-file.ts";
import { type SearchThread, startThread } from "./search-worker.ts";
import type { SearchOptions } from "./take-turns.ts";

export interface Found {
  readonly matches: Match[];
  readonly count: number;
}

/** From how many files on a second thread pays for its start, which takes as long as searching some 20 MB. */
const manyFiles = 2_000;
const manyBytes = 64 * 1_048_576;

/** Searches all files while they are being listed, with a second thread if there is much to do. */
export async function searchFiles(paths: Iterable<FilePath>, regex: Regex, options: SearchOptions): Promise<Found> {
  const files: FilePath[] = [];
  let thread: SearchThread | undefined;
  for (const path of paths) {
    files.push(path);
    if (files.length % manyFiles !== 0) continue;
    thread ??= startThread(options);
    thread.give(files);
  }
  if (!thread && files.length > 1 && holdMuch(files)) thread = startThread(options);
  const search = new FileSearch(regex);
  if (thread) return mergeFound(await thread.share(files, search));
  const list = new MatchList(options.maxBytes);
  for (const file of files) search.search(file, list);
  return list;
}

function holdMuch(files: readonly FilePath[]): boolean {
  let bytes = 0;
  return files.some((file) => {
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return bytes >= manyBytes;
  });
}
