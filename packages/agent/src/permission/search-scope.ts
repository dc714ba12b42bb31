import { type DirectoryVisit, expandBraces, glob } from "@ikigai/posix-glob";
import type { JsonObject } from "@ikigai/protocol";
import { isInside } from "@ikigai/system";
import type { SearchAccess } from "./declared-access.ts";
import { realTarget } from "./real-target.ts";

/** Where a search may look without a question, as real paths. */
export interface SearchBounds {
  readonly project: string;
  /** A directory inside the project that does not count as such: the user's own. */
  readonly except?: string | undefined;
}

/** How much is looked at before a decision; a search that reaches further is a question. */
export interface SearchLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

/** The largest repositories have some 500,000 files. The user waits for this, and the search itself takes as long again. */
const defaultLimits: SearchLimits = { maxEntries: 1_000_000, maxMs: 5_000 };

const wildcards = /[*?[\\]/;

/** A step that may match `..`: glob(3) lets `.*` do so. */
const mayBeParent = /^\\?\.(?:\\?\.|[*?[])/;

/**
 * How long a path may be for all links behind it to be seen, in bytes: a tool, which names it from its working directory, gets
 * further than this check before the system finds a path too long.
 */
const maxPathBytes = (process.platform === "darwin" ? 1_024 : 4_096) - 256;

/** One way to understand what is searched for. */
interface Search {
  /** Where it begins: what stands before the first wildcard. */
  readonly start: string;
  /** The steps of the pattern from there. */
  readonly steps: readonly string[];
}

/**
 * Whether everything that a search would look at lies inside the bounds: the place, the pattern's own steps, and the
 * links that it would follow. `false` also when that cannot be told within the limits.
 */
export function searchesInside(
  access: SearchAccess,
  args: JsonObject,
  cwd: string,
  bounds: SearchBounds,
  limits = defaultLimits,
): boolean {
  const place = textOf(args[access.path]);
  const pattern = textOf(args[access.pattern]);
  const readsContents = access.kind === "search-files";
  if (place === undefined || pattern === undefined) return false;
  try {
    const patterns = patternsByStart(readingsOf(place, readsContents && pattern === "" ? "*" : pattern), cwd, bounds);
    return patterns !== undefined && staysInside(patterns, readsContents, bounds, limits);
  } catch {
    // Too many alternatives, or a machine in trouble: what the tool will see cannot be told.
    return false;
  }
}

/** The patterns to search for, by the real directory they start in; nothing when one of them names a place outside. */
function patternsByStart(
  readings: readonly Search[],
  cwd: string,
  bounds: SearchBounds,
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
 * A pattern that begins at the root is read from there by some tools, and below `path` by others. Wildcards and braces in
 * `path` count where nothing is called so; it may be gone by the time of the call.
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

/** Not `path.join`: a `..` after a link must stay. */
function joinAsIs(place: string, literal: string): string {
  return place === "" ? literal : `${place}/${literal}`;
}

/**
 * Makes the searches of the tool, to see each link that it would follow: a directory that the pattern does not reach costs
 * nothing, and a file that is no link costs no look of its own.
 *
 * @param filesOnly whether the tool reads the files it finds, also through links.
 */
function staysInside(
  patterns: ReadonlyMap<string, readonly string[]>,
  filesOnly: boolean,
  bounds: SearchBounds,
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
    for (const _ of glob(texts, { cwd, filesOnly, onDirectory })) if (!isInBounds) return false;
    if (!isInBounds) return false;
  }
  return true;
}

function isVisitInside({ path, links, problem }: DirectoryVisit, cwd: string, bounds: SearchBounds): boolean {
  // What may not be read now, the tool may not read either.
  if (problem !== undefined && problem !== "EACCES" && problem !== "EPERM") return false;
  if (Buffer.byteLength(cwd) + path.length > maxPathBytes) return false;
  const hidesExcept = bounds.except !== undefined && isInside(bounds.except, bounds.project);
  return [...links, ...(hidesExcept ? [path] : [])].every((each) => {
    // A name that is no text cannot be looked up here.
    const real = typeof each === "string" ? realTarget(`${cwd}/${each}`, cwd) : undefined;
    return real !== undefined && isFree(real, bounds);
  });
}

function isFree(real: string, { project, except }: SearchBounds): boolean {
  return isInside(real, project) && !(except !== undefined && isInside(real, except));
}
