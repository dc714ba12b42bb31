import type { Match } from "./match-list.ts";

/** What one portion of a file holds, of which some may not be kept. */
export interface FoundInPortion {
  /** The portion's place in the list. */
  readonly index: number;
  /** Whether the file begins with it. */
  readonly isBeginning: boolean;
  /** Whether time was up before its end was reached, so that nobody knows how many lines it has. */
  readonly isCut: boolean;
  /** With the numbers of their lines in the portion. */
  readonly matches: readonly Match[];
  readonly count: number;
  /** How many lines end in the portion. */
  readonly newlines: number;
}

/**
 * Puts together what several threads found, in the order of the files. Each kept its first matches, as many as an answer
 * holds; where one of them had to stop, so does the whole.
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
    // What stands behind a part that was cut has no known line.
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
