import {
  describeBelow,
  describeHidden,
  describeMissing,
  describeMost,
  describeNearest,
  districtOf,
  quotePath,
  type SearchGaps,
} from "@ikigai/tool-files";
import { hasBelow, type Place } from "./list-files.ts";
import { noMatchHint, otherEngineHint, type Reading } from "./pattern-readings.ts";
import type { Found } from "./search-files.ts";

/** What was searched. */
export interface Searched {
  readonly place: Place;
  readonly reading: Reading;
  readonly level: Found;
  /** The directories below, if they were searched, too. */
  readonly below: Found | undefined;
  readonly gaps: SearchGaps;
  /** Whether a model reads the answer. */
  readonly isShared: boolean;
}

/** The pattern as the call has it. */
interface Asked {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly spelling: string | undefined;
}

/** Returns hints for the model: what was not searched, and which parts of the pattern may mean something else. */
export function hintsFor(asked: Asked, { place, reading, level, below, gaps, isShared }: Searched): string[] {
  const count = level.count + (below?.count ?? 0);
  const isCut = level.isCut || below?.isCut === true;
  const notBelow = below ? undefined : notBelowHint(place, level);
  const noMatch = count === 0 ? noMatchHint(asked.pattern) : undefined;
  const missing = level.fileCount === 0 ? describeMissing(place.path) : undefined;
  const isEmpty = level.fileCount === 0 && below === undefined && missing === undefined && !gaps.isStopped;
  const hidden =
    isEmpty && describeHidden(place.glob || "*", place.path, { onDirectory: gaps.onDirectory, filesOnly: true });
  const meant = isShared ? reading.note : otherEngineHint(asked);
  const skipped = gaps.describeSkipped();
  return [
    ...(asked.spelling === undefined ? [] : [asked.spelling]),
    ...(missing === undefined ? [] : [missing, describeNearest(place.path) ?? ""].filter(Boolean)),
    ...(isCut && !gaps.isStopped
      ? ["The time limit was reached before all files were searched: narrow path or glob."]
      : []),
    ...gaps.describe(),
    ...(hidden ? [`${hidden}.`] : []),
    ...(meant === undefined ? [] : [meant]),
    ...(noMatch === undefined ? [] : [noMatch]),
    ...(notBelow === undefined ? [] : [notBelow]),
    ...(skipped === undefined ? [] : [skipped]),
  ];
}

/** Without a slash in the glob only one directory is searched: suggests searching below. */
function notBelowHint(place: Place, { count, fileCount }: Found): string | undefined {
  const { glob, path } = place;
  if (!hasBelow(place) || (glob !== "" && count > 0)) return undefined;
  const below = describeBelow(path);
  const files = `${fileCount} ${fileCount === 1 ? "file" : "files"}`;
  return below && `searched ${files} in ${quotePath(path)}; ${below}: glob '**/${glob || "*"}' does`;
}

/** Says how much is not shown, and where most of that is. */
export function missingHint(missing: ReadonlyMap<string, number>, { path }: Place): string | undefined {
  if (missing.size === 0) return undefined;
  const districts = new Map<string, number>();
  let sum = 0;
  let directory: string | undefined;
  let district = "";
  for (const [file, count] of missing) {
    // Files of one directory follow each other.
    const own = file.slice(0, file.lastIndexOf("/") + 1);
    if (own !== directory) district = districtOf(file, path);
    directory = own;
    districts.set(district, (districts.get(district) ?? 0) + count);
    sum += count;
  }
  const files = missing.size === 1 ? "1 file" : `${missing.size} files`;
  const where = districts.size > 1 ? `, ${describeMost(districts)}` : "";
  const lines = sum === 1 ? "1 matching line" : `${sum} matching lines`;
  return `not shown: ${lines} in ${files}${where}; narrow path, glob or pattern, or ask for format 'files'.`;
}
