// Searches one directory for what its segments match: its entries, then their order.

import {
  type ByteString,
  type Entry,
  findEntry,
  type Listing,
  leadsSomewhere,
  leadsToDirectory,
  leadsToFile,
  readEntries,
} from "./directory.ts";
import type { Segment } from "./path-pattern.ts";

/** What a search leaves out in one directory, for patterns with `**`. */
export interface Ignores {
  /** Whether an entry is left out, unless the pattern names it. */
  ignores(name: ByteString, isDirectory: boolean): boolean;
  /** Whether not all of a directory counts: if a pattern names it, all does. */
  rulesOut(name: ByteString): boolean;
  /** What is left out in a directory of this one, which has these names. */
  below(name: ByteString, names: { has(name: ByteString): boolean }): Ignores;
}

/** How a directory gets its `Ignores`: from its path when a wildcard first needs them, from those above it, or not at all. */
export type IgnoreSource = "path" | { readonly above: Ignores; readonly name: ByteString } | undefined;

/** A directory to search. */
export interface Branch {
  /** Its name and the slashes after it. */
  readonly key: ByteString;
  /**
   * The segments that apply in it: one, or several after `**`. They are matched together, so that each directory is read once
   * and each path is found once.
   */
  readonly segments: readonly Segment[];
  readonly ignores: IgnoreSource;
}

/** What an entry contributes: the end of a matching path, or a directory to search. */
export type Finding = ByteString | Branch;

/** The results of one directory. */
export interface DirectorySearch {
  /** Sorted by the bytes of whole paths. */
  readonly findings: readonly Finding[];
  /** Number of entries examined. */
  readonly entryCount: number;
  /** Symbolic links that the search follows, or whose targets it returns as files; broken links excluded. */
  readonly links: readonly ByteString[];
  /** Directories that were left out. */
  readonly skipped: readonly ByteString[];
  /** Why the directory could not be read, as the system's code. */
  readonly problem?: string;
}

/** How to search a directory. */
export interface DirectoryOptions {
  readonly filesOnly: boolean;
  readonly ignores: IgnoreSource;
  /** Returns what is left out in this directory, by its path. */
  readonly ignoresHere: () => Ignores | undefined;
}

/** Searches a single directory. */
export function searchDirectory(
  directory: ByteString,
  segments: readonly Segment[],
  { filesOnly, ignores: source, ignoresHere }: DirectoryOptions,
): DirectorySearch {
  const findings: Finding[] = [];
  const links: ByteString[] = [];
  const skipped: ByteString[] = [];
  const { entries, ...problem } = candidates(directory, segments);
  const isNeeded = source !== undefined && segments.some(isSkipping);
  const ignores = isNeeded
    ? ignoresOf(directory, source, segments.some(isWild) ? entries : undefined, ignoresHere)
    : undefined;
  for (const entry of entries) {
    let slashes = slashesBehind(entry, directory, segments, filesOnly);
    let next = nextSegments(entry, segments);
    if (slashes === undefined && next === undefined) continue;
    const isIgnored = ignores?.ignores(entry.name, entry.isDirectory()) ?? false;
    if (isIgnored) {
      const naming = segments.filter((segment) => !isSkipping(segment));
      slashes = slashesBehind(entry, directory, naming, filesOnly);
      next = nextSegments(entry, naming);
      if (next === undefined && entry.isDirectory()) skipped.push(entry.name);
    }
    if (slashes !== undefined) findings.push(entry.name + slashes);
    if (next) {
      const isNamed = ignores !== undefined && segments.some(({ literal }) => literal === entry.name);
      const above = isIgnored || (isNamed && ignores.rulesOut(entry.name)) ? undefined : ignores;
      const below = isNeeded ? above && { above, name: entry.name } : source;
      findings.push({ key: entry.name + next.separator, segments: next.segments, ignores: below });
    }
    if (!entry.isSymbolicLink()) continue;
    if ((filesOnly && slashes !== undefined) || (next && leadsSomewhere(directory, entry))) links.push(entry.name);
  }
  return { findings: sortFindings(findings), entryCount: entries.length, links, skipped, ...problem };
}

/** Whether a segment leaves out what is ignored. What a pattern names is never left out. */
function isSkipping({ skipsIgnored, literal }: Segment): boolean {
  return skipsIgnored && literal === undefined;
}

function ignoresOf(
  directory: ByteString,
  source: Exclude<IgnoreSource, undefined>,
  entries: readonly Entry[] | undefined,
  ignoresHere: () => Ignores | undefined,
): Ignores | undefined {
  if (source === "path") return ignoresHere();
  return source.above.below(source.name, {
    has: (name) => (entries ? entries.some((entry) => entry.name === name) : findEntry(directory, name) !== undefined),
  });
}

/** The entries that may match. Names without wildcards are looked up, which needs no permission to list the directory. */
function candidates(directory: ByteString, segments: readonly Segment[]): Listing {
  const names = new Set(segments.flatMap(({ literal }) => literal ?? []));
  if (!segments.some(isWild)) return { entries: lookUp(directory, names) };
  const { entries, ...problem } = readEntries(directory);
  if (problem.problem !== undefined) entries.push(...lookUp(directory, names));
  for (const dot of dots) if (takesAny(segments, dot)) entries.push(...lookUp(directory, [dot]));
  return { entries, ...problem };
}

/** Not included in a listing. */
const dots = [".", ".."];

function isWild({ literal }: Segment): boolean {
  return literal === undefined;
}

function takesAny(segments: readonly Segment[], name: ByteString): boolean {
  for (const { takes } of segments) if (takes(name)) return true;
  return false;
}

function lookUp(directory: ByteString, names: Iterable<ByteString>): Entry[] {
  return Array.from(names).flatMap((name) => findEntry(directory, name) ?? []);
}

/** The slashes after the name of an entry that ends a matching path; `undefined` if it does not match. */
function slashesBehind(
  entry: Entry,
  directory: ByteString,
  segments: readonly Segment[],
  filesOnly: boolean,
): string | undefined {
  for (const { ending, takes } of segments) {
    if (ending === undefined || !takes(entry.name)) continue;
    if (ending.directoriesOnly && !leadsToDirectory(directory, entry)) continue;
    if (!filesOnly || leadsToFile(directory, entry)) return ending.slashes;
  }
  return undefined;
}

/** The segments that apply in an entry; `undefined` if the search does not enter it. */
function nextSegments(
  entry: Entry,
  segments: readonly Segment[],
): { readonly segments: readonly Segment[]; readonly separator: string } | undefined {
  const isDirectory = entry.isDirectory();
  if (!isDirectory && !entry.isSymbolicLink()) return undefined;
  const next = new Set<Segment>();
  let separator = "";
  for (const segment of segments) {
    if (segment.next.length === 0 || !(isDirectory || segment.entersLinks) || !segment.takes(entry.name)) continue;
    for (const follower of segment.next) next.add(follower);
    separator = segment.separator;
  }
  return next.size === 0 ? undefined : { separator, segments: [...next] };
}

/** Sorts only if needed, which is rare: `a-b` comes before the contents of `a`, since a dash is less than a slash. */
function sortFindings(findings: Finding[]): Finding[] {
  let last = "";
  for (const finding of findings) {
    const key = sortKey(finding);
    if (key < last) return findings.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : Number(sortKey(a) > sortKey(b))));
    last = key;
  }
  return findings;
}

function sortKey(finding: Finding): ByteString {
  return typeof finding === "string" ? finding : finding.key;
}
