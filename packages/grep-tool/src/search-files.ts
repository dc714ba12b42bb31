import { availableParallelism } from "node:os";
import type { Regex } from "@ikigai/posix/ere";
import type { FilePath } from "./list-files.ts";
import { type FileMatches, MatchList, type SearchOptions } from "./match-list.ts";
import { mergeFound } from "./merge-found.ts";
import { cut } from "./portion.ts";
import { FileSearch } from "./search-file.ts";
import { type SearchThread, startThread } from "./search-worker.ts";

/** The result of a search. */
export interface Found {
  /** The files with matches. */
  readonly files: readonly FileMatches[];
  readonly count: number;
  /** Number of files to search. */
  readonly fileCount: number;
  /** How many bytes the files share; `Infinity` if each is shown as far as it was kept. */
  readonly sharedBytes: number;
  /** Whether the time limit was reached before all were searched. */
  readonly isCut: boolean;
}

/** From these sizes on, a second thread pays for its start, which takes as long as searching about 20 MB. */
const manyFiles = 2_000;
const manyBytes = 64 * 1_048_576;

/**
 * From this size on, in bytes, WebAssembly pays for its start, up to 13 ms of processor time: V8 compiles the code around it a second time.
 * At 16 MiB it makes no difference.
 */
const simdBytes = 24 * 1_048_576;

/**
 * Searches all files, with a second thread if there is enough to do and a processor for it: it takes many files while they are
 * still being listed, or shares few large files in parts.
 */
export async function searchFiles(paths: Iterable<FilePath>, regex: Regex, options: SearchOptions): Promise<Found> {
  const files: FilePath[] = [];
  let search = new FileSearch(regex, options);
  const list = new MatchList(options);
  const isAlone = availableParallelism() === 1;
  let searched = 0;
  const later: FilePath[] = [];
  const searchListed = () => {
    while (searched < files.length && !search.isTimeUp) {
      const file = files[searched++] as FilePath;
      if (search.search(file, list) === undefined) later.push(file);
    }
  };
  let thread: SearchThread | undefined;
  for (const path of paths) {
    files.push(path);
    if (files.length % manyFiles !== 0) continue;
    if (isAlone) {
      // Listing alone could use up the time limit.
      searchListed();
      continue;
    }
    thread ??= startThread(options);
    thread.give(files);
  }
  const found = thread ? mergeFound(await thread.share(files, search), options.isShared) : await searchFew();
  const sharedBytes = options.isShared ? options.maxBytes : Number.POSITIVE_INFINITY;
  return { files: found.files, count: found.count, fileCount: files.length, sharedBytes, isCut: search.isTimeUp };

  async function searchFew() {
    const { portions, bytes } = isAlone ? { portions: files, bytes: 0 } : cut(files, Number.isFinite(options.maxBytes));
    const sized = { ...options, isLarge: bytes >= simdBytes };
    if (sized.isLarge) search = new FileSearch(regex, sized);
    if (bytes >= manyBytes) return mergeFound(await startThread(sized).share(portions, search), options.isShared);
    searchListed();
    for (const file of later) if (!search.isTimeUp) search.search(file, list, true);
    return list;
  }
}
