import { describeBelow, describeHidden, describeMissing, quotePath, type SearchGaps } from "@ikigai/posix-glob";
import { isRegularFile, type Place } from "./list-files.ts";
import { dialectHints, noMatchHint } from "./pattern-hint.ts";
import type { Found } from "./search-files.ts";

/** Returns hints for the model: what was not searched, and which parts of the pattern may mean something else. */
export function hintsFor(pattern: string, place: Place, found: Found, gaps: SearchGaps): string[] {
  const notBelow = notBelowHint(place, found);
  const noMatch = found.count === 0 ? noMatchHint(pattern) : undefined;
  const missing = found.fileCount === 0 ? describeMissing(place.path) : undefined;
  const isAll = found.count === 0 && !found.isCut && !gaps.isStopped && missing === undefined;
  const hidden = isAll ? describeHidden(place.glob, place.path, gaps.onDirectory) : undefined;
  return [
    ...(missing === undefined ? [] : [missing]),
    ...(found.isCut && !gaps.isStopped
      ? ["The time limit was reached before all files were searched: narrow path or glob."]
      : []),
    ...gaps.describe(),
    ...(hidden === undefined ? [] : [hidden]),
    ...dialectHints(pattern),
    ...(noMatch === undefined ? [] : [noMatch]),
    ...(notBelow === undefined ? [] : [notBelow]),
  ];
}

/** Without a slash in the glob only one directory is searched: suggests searching below. */
function notBelowHint({ glob, path }: Place, { count, fileCount }: Found): string | undefined {
  if (glob.includes("/") || glob === "**" || (glob !== "" && count > 0) || isRegularFile(path)) return undefined;
  const below = describeBelow(path);
  const files = `${fileCount} ${fileCount === 1 ? "file" : "files"}`;
  return below && `searched ${files} in ${quotePath(path)}; ${below}: glob '**/${glob || "*"}' does`;
}
