import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "@ikigai/core";
import type { JsonObject } from "@ikigai/protocol";
import { realTarget } from "./real-target.ts";

/** How many directory entries are looked at for links that lead out. A larger tree is trusted beyond them. */
const maxEntries = 10_000;

const wildcards = /[*?[\\]/;

/** A step that may match `..`: glob(3) lets `.*` do so. */
const mayBeParent = /^\\?\.(?:\\?\.|[*?[])/;

/** A step that matches names with a leading dot; `*`, `[.]` and `**` match none. */
const isForHidden = /^\\?\./;

/** Which links the wildcards of a search could follow. */
interface Reach {
  /** How many directories down. */
  readonly depth: number;
  /** Whether a link to a directory is gone through: `**` goes through none, and the last step lists names only. */
  readonly entersLinks: boolean;
  /** What the names of files that are read end with; `undefined` when only names are listed. */
  readonly readEnding: string | undefined;
  readonly entersHidden: boolean;
}

/** One way to understand what is searched for. */
interface Search {
  /** Where it begins: what stands before the first wildcard. */
  readonly start: string;
  /** The steps of the pattern from there. */
  readonly steps: readonly string[];
}

/**
 * Whether everything that `glob` or `grep` would look at lies in a real directory: the place, the pattern's own steps, and
 * the links that its wildcards could follow.
 */
export function searchesInside(name: string, args: JsonObject, cwd: string, realProject: string): boolean {
  const place = textOf(args.path);
  const pattern = name === "glob" ? textOf(args.pattern) : textOf(args.glob);
  if (place === undefined || pattern === undefined) return false;
  return readingsOf(place, name === "grep" && pattern === "" ? "*" : pattern).every(({ start, steps }) => {
    if (steps.slice(0, -1).some((step) => mayBeParent.test(step)) || steps.at(-1) === "..") return false;
    const real = realTarget(start || ".", cwd);
    return real !== undefined && isInside(real, realProject) && !linkLeadsOut(real, reachOf(name, steps), realProject);
  });
}

/**
 * A pattern that begins at the root is read from there by some tools, and below `path` by others. Wildcards in `path` count
 * where nothing is called so; it may be gone by the time of the call.
 */
function readingsOf(place: string, pattern: string): readonly Search[] {
  const inPlace = splitAtWildcard(pattern);
  return [
    { ...inPlace, start: joinAsIs(place, inPlace.start) },
    ...(pattern.startsWith("/") ? [{ ...inPlace, start: inPlace.start || "/" }] : []),
    ...(wildcards.test(place) ? [splitAtWildcard(joinAsIs(place, pattern))] : []),
  ];
}

function splitAtWildcard(pattern: string): Search {
  const all = pattern.split("/");
  const first = all.findIndex((step) => wildcards.test(step));
  if (first < 0) return { start: pattern, steps: [] };
  return { start: all.slice(0, first).join("/") || (first > 0 ? "/" : ""), steps: all.slice(first) };
}

function reachOf(name: string, steps: readonly string[]): Reach {
  const last = steps.at(-1);
  const entersLinks = steps.slice(0, -1).some((step) => step !== "**");
  const readEnding = name === "grep" && last !== undefined ? last.replace(/^.*[*?[\]\\]/s, "") : undefined;
  const levels = readEnding === undefined ? steps.length - 1 : steps.length;
  const depth = steps.includes("**") ? Number.POSITIVE_INFINITY : levels;
  return {
    depth: entersLinks || readEnding !== undefined ? depth : 0,
    entersLinks,
    readEnding,
    entersHidden: steps.some((step) => isForHidden.test(step)),
  };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : undefined;
}

/** Not `path.join`: a `..` after a link must stay. */
function joinAsIs(place: string, literal: string): string {
  return place === "" ? literal : `${place}/${literal}`;
}

/** Looks for a link to somewhere else, breadth first, as deep as the pattern reaches. */
function linkLeadsOut(start: string, reach: Reach, realProject: string): boolean {
  let left = maxEntries;
  let level = [start];
  for (let down = 0; down < reach.depth && level.length > 0; down++) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of entriesOf(directory)) {
        if (--left < 0) return false;
        if (entry.name.startsWith(".") && !reach.entersHidden) continue;
        const path = join(directory, entry.name);
        if (entry.isDirectory()) next.push(path);
        if (!entry.isSymbolicLink()) continue;
        const real = realTarget(path, directory);
        if (real !== undefined && !isInside(real, realProject) && isFollowed(entry.name, real, reach)) return true;
      }
    }
    level = next;
  }
  return false;
}

function isFollowed(name: string, target: string, { entersLinks, readEnding }: Reach): boolean {
  if (entersLinks) return true;
  return readEnding !== undefined && name.endsWith(readEnding) && !isDirectory(target);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
