import { statSync } from "node:fs";
import { compile } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import { type Match, MatchList } from "./match-list.ts";
import { mergeFound } from "./merge-found.ts";
import { FileSearch } from "./search-file.ts";
import { startWorker } from "./search-worker.ts";
import { type SearchOptions, takeTurns } from "./take-turns.ts";

export interface Found {
  readonly matches: Match[];
  readonly count: number;
}

/** From how many files on a second thread pays for its start, which takes as long as searching some 20 MB. */
const manyFiles = 2_000;
const manyBytes = 64 * 1_048_576;

/** Searches all files, with a second thread if there is much to do. */
export async function searchFiles(files: readonly FilePath[], options: SearchOptions): Promise<Found> {
  const isLarge = files.length > 1 && (files.length >= manyFiles || holdMuch(files));
  if (!isLarge) return searchInTurn(files, options);
  const turns = new SharedArrayBuffer(4);
  const worker = startWorker({ files, options, turns });
  const own = takeTurns(files, options, turns);
  return mergeFound([own, await worker]);
}

function searchInTurn(files: readonly FilePath[], { pattern, ignoreCase, maxBytes }: SearchOptions): Found {
  const search = new FileSearch(compile(pattern, { ignoreCase }));
  const list = new MatchList(maxBytes);
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
