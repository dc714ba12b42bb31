import type { ByteString } from "./byte-string.ts";
import {
  type Entry,
  findEntry,
  type Listing,
  leadsSomewhere,
  leadsToDirectory,
  leadsToFile,
  readEntries,
} from "./directory.ts";
import type { Segment } from "./path-pattern.ts";

/** A directory to search. */
export interface Branch {
  /** Its name and the slashes after it. */
  readonly key: ByteString;
  /**
   * The segments that apply in it: one, or several after `**`. They are matched together, so that each directory is read once
   * and each path is found once.
   */
  readonly segments: readonly Segment[];
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
  /** Why the directory could not be read, as the system's code. */
  readonly problem?: string;
}

/** Searches a single directory. */
export function searchDirectory(
  directory: ByteString,
  segments: readonly Segment[],
  filesOnly: boolean,
): DirectorySearch {
  const findings: Finding[] = [];
  const links: ByteString[] = [];
  const { entries, ...problem } = candidates(directory, segments);
  for (const entry of entries) {
    const slashes = slashesBehind(entry, directory, segments, filesOnly);
    if (slashes !== undefined) findings.push(entry.name + slashes);
    const branch = branchOf(entry, segments);
    if (branch) findings.push(branch);
    if (!entry.isSymbolicLink()) continue;
    if ((filesOnly && slashes !== undefined) || (branch && leadsSomewhere(directory, entry))) links.push(entry.name);
  }
  return { findings: sortFindings(findings), entryCount: entries.length, links, ...problem };
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

function branchOf(entry: Entry, segments: readonly Segment[]): Branch | undefined {
  const isDirectory = entry.isDirectory();
  if (!isDirectory && !entry.isSymbolicLink()) return undefined;
  const next = new Set<Segment>();
  let separator = "";
  for (const segment of segments) {
    if (segment.next.length === 0 || !(isDirectory || segment.entersLinks) || !segment.takes(entry.name)) continue;
    for (const follower of segment.next) next.add(follower);
    separator = segment.separator;
  }
  return next.size === 0 ? undefined : { key: entry.name + separator, segments: [...next] };
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
