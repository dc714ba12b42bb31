import { describeBelow, quotePath, type SearchGaps } from "@ikigai/posix-glob";
import { isRegularFile, type Place } from "./list-files.ts";
import { dialectHints, noMatchHint } from "./pattern-hint.ts";
import type { Found } from "./search-files.ts";

/** What the model should know beside the matches: what was not searched, and what in the pattern it may have meant otherwise. */
export function hintsFor(pattern: string, place: Place, found: Found, gaps: SearchGaps): string[] {
  const notBelow = notBelowHint(place, found);
  const noMatch = found.count === 0 ? noMatchHint(pattern) : undefined;
  return [
    ...(found.isCut && !gaps.isStopped ? ["The time was up before all files were searched: narrow path or glob."] : []),
    ...gaps.describe(),
    ...dialectHints(pattern),
    ...(noMatch === undefined ? [] : [noMatch]),
    ...(notBelow === undefined ? [] : [notBelow]),
  ];
}

/** A glob without a slash looks only in one directory, as does no glob at all. */
function notBelowHint({ glob, path }: Place, { count, fileCount }: Found): string | undefined {
  if (glob.includes("/") || glob === "**" || (glob !== "" && count > 0) || isRegularFile(path)) return undefined;
  const below = describeBelow(path);
  const files = `${fileCount} ${fileCount === 1 ? "file" : "files"}`;
  return below && `searched ${files} in ${quotePath(path)}; ${below}: glob '**/${glob || "*"}' does`;
}
