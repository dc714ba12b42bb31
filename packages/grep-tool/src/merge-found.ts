import type { FileMatches } from "./match-list.ts";

/** The matches in one portion of a file; not all may be kept. */
export interface FoundInPortion extends FileMatches {
  /** The portion's index in the list. */
  readonly index: number;
  /** Whether the portion starts the file. */
  readonly isBeginning: boolean;
  /** Whether the time limit was reached before its end, so that its number of lines is unknown. Line numbers are relative to the portion. */
  readonly isCut: boolean;
  /** Number of newlines in the portion. */
  readonly newlines: number;
}

/**
 * Merges the results of several threads in the order of the files. Each thread kept its first matches, as many as fit into an
 * answer; the merged list ends where one of them stopped keeping. If files share the answer, only the file's list ends there.
 */
export function mergeFound(
  parts: readonly (readonly FoundInPortion[])[],
  isShared: boolean,
): { files: FileMatches[]; count: number } {
  const files: FileMatches[] = [];
  let count = 0;
  let isWhole = true;
  let linesBefore: number | undefined = 0;
  for (const portion of parts.flat().sort((a, b) => a.index - b.index)) {
    count += portion.count;
    if (portion.isBeginning) {
      files.push({ file: portion.file, count: 0, matches: [] });
      linesBefore = 0;
      isWhole ||= isShared;
    }
    const merged = files.at(-1);
    if (merged === undefined) continue;
    merged.count += portion.count;
    // After a cut part, line numbers are unknown.
    if (!isWhole || linesBefore === undefined) continue;
    const before: number = linesBefore;
    for (const match of portion.matches) {
      merged.matches.push(before === 0 ? match : { ...match, line: match.line + before });
    }
    linesBefore = portion.isCut ? undefined : before + portion.newlines;
    isWhole = portion.matches.length === portion.count;
  }
  return { files: files.filter((file) => file.count > 0), count };
}
