import type { Match } from "./match-list.ts";

/** The matches in one portion of a file; not all may be kept. */
export interface FoundInPortion {
  /** The portion's index in the list. */
  readonly index: number;
  /** Whether the portion starts the file. */
  readonly isBeginning: boolean;
  /** Whether the time limit was reached before its end, so that its number of lines is unknown. */
  readonly isCut: boolean;
  /** Line numbers are relative to the portion. */
  readonly matches: readonly Match[];
  readonly count: number;
  /** Number of newlines in the portion. */
  readonly newlines: number;
}

/**
 * Merges the results of several threads in the order of the files. Each thread kept its first matches, as many as fit into an
 * answer; the merged list ends where one of them stopped keeping.
 */
export function mergeFound(parts: readonly (readonly FoundInPortion[])[]): { matches: Match[]; count: number } {
  const matches: Match[] = [];
  let count = 0;
  let isWhole = true;
  let linesBefore: number | undefined = 0;
  for (const portion of parts.flat().sort((a, b) => a.index - b.index)) {
    count += portion.count;
    if (!isWhole) continue;
    if (portion.isBeginning) linesBefore = 0;
    // After a cut part, line numbers are unknown.
    if (linesBefore === undefined) continue;
    const before: number = linesBefore;
    for (const match of portion.matches) {
      matches.push(before === 0 ? match : { ...match, line: match.line + before });
    }
    linesBefore = portion.isCut ? undefined : before + portion.newlines;
    isWhole = portion.matches.length === portion.count;
  }
  return { matches, count };
}
