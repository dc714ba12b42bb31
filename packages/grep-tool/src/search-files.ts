import { availableParallelism } from "node:os";
import type { Regex } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import { type Match, MatchList } from "./match-list.ts";
import { mergeFound } from "./merge-found.ts";
import { cut } from "./portion.ts";
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

/**
 * Searches all files, with a second thread if there is much to do and a processor for it: many files while they are still being
 * listed, few in parts of the same size.
 */
export async function searchFiles(paths: Iterable<FilePath>, regex: Regex, options: SearchOptions): Promise<Found> {
  const files: FilePath[] = [];
  let thread: SearchThread | undefined;
  for (const path of paths) {
    files.push(path);
    if (files.length % manyFiles !== 0 || availableParallelism() === 1) continue;
    thread ??= startThread(options);
    thread.give(files);
  }
  const search = new FileSearch(regex);
  if (thread) return mergeFound(await thread.share(files, search));
  const { portions, bytes } = cut(files);
  if (bytes >= manyBytes && availableParallelism() > 1)
    return mergeFound(await startThread(options).share(portions, search));
  const list = new MatchList(options.maxBytes);
  for (const file of files) search.search(file, list);
  return list;
}
