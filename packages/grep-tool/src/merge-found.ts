import type { Match } from "./match-list.ts";

/** What one file holds, of which some may not be kept. */
export interface FoundInFile {
  /** The file's place in the list. */
  readonly index: number;
  readonly matches: readonly Match[];
  readonly count: number;
}

/**
 * Puts together what several threads found, in the order of the files. Each kept its first matches, as many as an answer
 * holds; where one of them had to stop, so does the whole.
 */
export function mergeFound(parts: readonly (readonly FoundInFile[])[]): { matches: Match[]; count: number } {
  const matches: Match[] = [];
  let count = 0;
  let isWhole = true;
  for (const file of parts.flat().sort((a, b) => a.index - b.index)) {
    count += file.count;
    if (!isWhole) continue;
    for (const match of file.matches) matches.push(match);
    isWhole = file.matches.length === file.count;
  }
  return { matches, count };
}
