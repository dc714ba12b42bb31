import { ignoresIn } from "@ikigai/git-files/ignore";
import { type DirectoryVisit, expandBraces, glob } from "@ikigai/posix-glob";
import type { JsonObject } from "@ikigai/protocol";
import { maxPathBytes } from "@ikigai/system";
import type { SearchAccess } from "./declared-access.ts";
import { isFree, type ProjectBounds } from "./inside-project.ts";
import { realTarget } from "./real-target.ts";

/** How much is checked before a decision; a larger search needs a question. */
export interface SearchLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

/**
 * The largest repositories have about 500,000 files. The user waits for this check, and the search itself takes as long
 * again.
 */
const defaultLimits: SearchLimits = { maxEntries: 1_000_000, maxMs: 5_000 };

const wildcards = /[*?[\\]/;

/** A path segment that may match `..`: glob(3) lets `.*` match it. */
const mayBeParent = /^\\?\.(?:\\?\.|[*?[])/;

/**
 * Longest path at which all symlinks behind it are still found, in bytes: a tool uses paths relative to its working
 * directory, so it gets further than this check before the system rejects a path as too long.
 */
const maxSeenBytes = maxPathBytes - 256;

/** One interpretation of a search pattern. */
interface Search {
  /** Where it starts: the part before the first wildcard. */
  readonly start: string;
  /** The path segments of the pattern after that. */
  readonly steps: readonly string[];
}

/**
 * Whether everything that a search would read is inside the bounds: its directory, the pattern's literal segments, and the
 * symlinks it would follow. `false` if that cannot be determined within the limits.
 */
export function searchesInside(
  access: SearchAccess,
  args: JsonObject,
  cwd: string,
  bounds: ProjectBounds,
  limits = defaultLimits,
): boolean {
  const place = textOf(args[access.path]);
  if (access.pattern === undefined) return listsInside(place, cwd, bounds);
  const pattern = textOf(args[access.pattern]);
  const readsContents = access.kind === "search-files";
  if (place === undefined || pattern === undefined) return false;
  try {
    const patterns = patternsByStart(
      (readsContents ? withBelow(pattern) : [pattern]).flatMap((each) => readingsOf(place, each)),
      cwd,
      bounds,
    );
    return patterns !== undefined && staysInside(patterns, readsContents, bounds, limits);
  } catch {
    // Too many alternatives or a system error: it is unknown what the tool will find.
    return false;
  }
}

/** A search for the contents of files also searches below, unless its pattern is about a path. */
function withBelow(pattern: string): string[] {
  const name = pattern || "*";
  return name.includes("/") ? [name] : [name, `**/${name}`];
}

/** Whether names are listed inside only: such a tool takes its path literally and follows no symlinks. */
function listsInside(place: string | undefined, cwd: string, bounds: ProjectBounds): boolean {
  const real = place === undefined ? undefined : realTarget(place || ".", cwd);
  return real !== undefined && isFree(real, bounds, true);
}

/** Returns the patterns to search for, by the real directory they start in; nothing if one of them names a place outside. */
function patternsByStart(
  readings: readonly Search[],
  cwd: string,
  bounds: ProjectBounds,
): Map<string, string[]> | undefined {
  const patterns = new Map<string, string[]>();
  for (const { start, steps } of readings) {
    if (steps.slice(0, -1).some((step) => mayBeParent.test(step)) || steps.at(-1) === "..") return undefined;
    const real = realTarget(start || ".", cwd);
    if (real === undefined || !isFree(real, bounds)) return undefined;
    const others = patterns.get(real) ?? [];
    if (steps.length > 0) patterns.set(real, [...others, steps.join("/")]);
  }
  return patterns;
}

/**
 * Some tools read an absolute pattern from the root, others below `path`. Wildcards and braces in `path` count if no file
 * has that name, which may disappear before the call.
 */
function readingsOf(place: string, pattern: string): Search[] {
  return [
    ...expandBraces(pattern).flatMap((each) => {
      const inPlace = splitAtWildcard(each);
      const fromRoot = each.startsWith("/") ? [{ ...inPlace, start: inPlace.start || "/" }] : [];
      return [{ ...inPlace, start: joinAsIs(place, inPlace.start) }, ...fromRoot];
    }),
    ...(/[*?[\\{]/.test(place) ? expandBraces(joinAsIs(place, pattern)).map(splitAtWildcard) : []),
  ];
}

function splitAtWildcard(pattern: string): Search {
  const all = pattern.split("/");
  const first = all.findIndex((step) => wildcards.test(step));
  if (first < 0) return { start: pattern, steps: [] };
  return { start: all.slice(0, first).join("/") || (first > 0 ? "/" : ""), steps: all.slice(first) };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : undefined;
}

/** Not `path.join`: a `..` after a symlink must stay. */
function joinAsIs(place: string, literal: string): string {
  return place === "" ? literal : `${place}/${literal}`;
}

/**
 * Runs the tool's searches to find each symlink it would follow: a directory that the pattern does not reach costs nothing,
 * nor does a file that is not a symlink.
 *
 * @param filesOnly whether the tool reads the files it finds, also through symlinks.
 */
function staysInside(
  patterns: ReadonlyMap<string, readonly string[]>,
  filesOnly: boolean,
  bounds: ProjectBounds,
  { maxEntries, maxMs }: SearchLimits,
): boolean {
  const deadline = performance.now() + maxMs;
  let entryCount = 0;
  let isInBounds = true;
  for (const [cwd, texts] of patterns) {
    const onDirectory = (visit: DirectoryVisit): boolean => {
      entryCount += visit.entryCount;
      const isKnown = entryCount <= maxEntries && performance.now() <= deadline;
      isInBounds &&= isKnown && isVisitInside(visit, cwd, bounds);
      return isInBounds;
    };
    // The tools leave out the same: they search no more than this.
    for (const _ of glob(texts, { cwd, filesOnly, onDirectory, ignores: ignoresIn })) if (!isInBounds) return false;
    if (!isInBounds) return false;
  }
  return true;
}

function isVisitInside({ path, links, problem }: DirectoryVisit, cwd: string, bounds: ProjectBounds): boolean {
  // What cannot be read here, the tool cannot read either.
  if (problem !== undefined && problem !== "EACCES" && problem !== "EPERM") return false;
  if (Buffer.byteLength(cwd) + path.length > maxSeenBytes) return false;
  return [...links, ...(bounds.except.length > 0 ? [path] : [])].every((each) => {
    // A name that is not valid text cannot be resolved here.
    const real = typeof each === "string" ? realTarget(`${cwd}/${each}`, cwd) : undefined;
    return real !== undefined && isFree(real, bounds);
  });
}
