import { compile } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import { MatchList } from "./match-list.ts";
import type { FoundInFile } from "./merge-found.ts";
import { FileSearch } from "./search-file.ts";

/** What is searched for, and how much of it is kept. */
export interface SearchOptions {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly maxBytes: number;
}

/** Searches the files whose turn it is until none is left; whoever else does the same takes the others. */
export function takeTurns(files: readonly FilePath[], options: SearchOptions, turns: SharedArrayBuffer): FoundInFile[] {
  const counter = new Int32Array(turns);
  const search = new FileSearch(compile(options.pattern, options));
  const found: FoundInFile[] = [];
  let keptBytes = options.maxBytes;
  for (let index = Atomics.add(counter, 0, 1); index < files.length; index = Atomics.add(counter, 0, 1)) {
    const list = new MatchList(keptBytes);
    search.search(files[index] as FilePath, list);
    if (list.count > 0) found.push({ index, matches: list.matches, count: list.count });
    // Turns only go forward, so what comes after a full answer will never be shown.
    keptBytes = list.room;
  }
  return found;
}
