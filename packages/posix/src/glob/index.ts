// Finds files: expands braces, parses the patterns, walks the directories, and merges searches that cannot be done together.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type ByteString, fromText, isAscii, toPath } from "./directory.ts";
import { expandBraces } from "./expand-braces.ts";
import { type PathPattern, parsePathPatterns } from "./path-pattern.ts";
import { type Finding, type IgnoreSource, type Ignores, searchDirectory } from "./search-directory.ts";

export { isOfMachine } from "./directory.ts";
export { BraceLimitError, expandBraces, maxAlternatives } from "./expand-braces.ts";
export { matcher } from "./name-pattern.ts";
export type { Ignores } from "./search-directory.ts";

/** Where to search, and what may match. */
export interface GlobOptions {
  /** Directory that relative patterns are searched in. Not part of the results. Default: the working directory. */
  readonly cwd?: string;
  /**
   * A directory put before the pattern and a slash, and so the start of
   * all results. Taken literally if it exists; otherwise as a pattern.
   */
  readonly base?: string;
  /** Whether only regular files, and links to them, match. Default: false. */
  readonly filesOnly?: boolean;
  /** Whether wildcards match a leading dot also in patterns without `**`. Default: false. */
  readonly hidden?: boolean;
  /**
   * Returns what patterns with `**` leave out, for the directory where their first wildcard applies, given by its absolute path. What a
   * pattern names is searched with everything below it. Default: nothing is left out.
   */
  readonly ignores?: (directory: string) => Ignores | undefined;
  /** Called after each directory that was searched. Returning `false` ends the search. */
  readonly onDirectory?: (visit: DirectoryVisit) => boolean;
}

/** What happened in one directory of a search. */
export interface DirectoryVisit {
  /** The directory, spelled as in the results; empty for the one that relative patterns are searched in. */
  readonly path: string | Buffer;
  /** Number of entries examined. */
  readonly entryCount: number;
  /** Symbolic links that the search follows, or, with `filesOnly`, returns as files. */
  readonly links: readonly (string | Buffer)[];
  /** Directories in it that were left out. */
  readonly skipped: readonly (string | Buffer)[];
  /** Why it could not be read, as the system's code (`EACCES`, `EIO`, `ENAMETOOLONG`, …). Its contents are then missing. */
  readonly problem?: string;
}

/** A directory being searched. */
interface Frame {
  readonly prefix: ByteString;
  readonly isAscii: boolean;
  readonly findings: readonly Finding[];
  done: number;
}

/**
 * Yields the paths that match one or several patterns, as `glob(3)` does in the C.UTF-8 locale, plus `**` and braces.
 *
 * Paths are unique, sorted by bytes, and yielded while directories are being read. A path is a string, or a Buffer if it is not
 * UTF-8; Node's file functions take both. Directories that cannot be read are skipped and reported to `onDirectory`.
 *
 * @throws BraceLimitError if braces expand to too many patterns.
 * @throws the system's error if continuing is pointless: EMFILE, ENFILE, ENOMEM.
 *
 * @example
 * for (const path of glob("src/**\/*.{ts,tsx}", { cwd: "/project" })) console.log(String(path));
 */
export function* glob(pattern: string | readonly string[], options: GlobOptions = {}): Generator<string | Buffer> {
  const { cwd, base, hidden, onDirectory = () => true } = options;
  const texts = [pattern].flat().flatMap((each) => expandBraces(base ? withBase(base, each, cwd) : each));
  const patterns = parsePathPatterns(texts, hidden);
  let isOver = false;
  const visit = (directory: DirectoryVisit) => {
    isOver ||= !onDirectory(directory);
    return !isOver;
  };
  const searches = patterns.map((each) => search(each, { ...options, onDirectory: visit }));
  const [only, ...others] = searches;
  if (only) yield* others.length === 0 ? only : mergePaths(searches);
}

function* search(
  { root, start }: PathPattern,
  { cwd, filesOnly = false, ignores, onDirectory }: GlobOptions,
): Generator<string | Buffer> {
  const origin = cwd ? `${fromText(cwd)}/` : "";
  if (start.length === 0 && !filesOnly) yield root;
  const enter = (prefix: ByteString, segments: typeof start, source: IgnoreSource): Frame | undefined => {
    const directory = root === "" ? origin + prefix : prefix;
    const ignoresHere = () => {
      const path = toPath(directory);
      return typeof path === "string" ? ignores?.(resolve(path)) : undefined;
    };
    const { findings, ...found } = searchDirectory(directory, segments, { filesOnly, ignores: source, ignoresHere });
    const inThis = (names: readonly ByteString[]) => names.map((name) => toPath(prefix + name));
    const visit = { ...found, links: inThis(found.links), skipped: inThis(found.skipped), path: toPath(prefix) };
    if (onDirectory?.(visit) === false) return undefined;
    return { prefix, isAscii: isAscii(prefix), findings, done: 0 };
  };
  const first = enter(root, start, ignores && "path");
  const stack = first ? [first] : [];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const finding = frame.findings[frame.done++];
    if (finding === undefined) stack.pop();
    else if (typeof finding === "string") yield toResult(frame, finding);
    else {
      const next = enter(frame.prefix + finding.key, finding.segments, finding.ignores);
      if (next === undefined) return;
      stack.push(next);
    }
  }
}

/** Joins the whole path. Most are ASCII, which is faster to check in parts. */
function toResult({ prefix, isAscii: isPrefixAscii }: Frame, name: ByteString): string | Buffer {
  return isPrefixAscii && isAscii(name) ? prefix + name : toPath(prefix + name);
}

/** Escapes a text as a pattern that matches only itself. Never throws. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[{},]/g, "\\$&");
}

function withBase(base: string, pattern: string, cwd: string | undefined): string {
  const path = cwd && !base.startsWith("/") ? `${cwd}/${base}` : base;
  const literal = existsSync(path) ? escapeGlob(base) : base;
  return literal.endsWith("/") ? literal + pattern : `${literal}/${pattern}`;
}

/** A search, and its next path. */
interface Source {
  readonly paths: Iterator<string | Buffer>;
  path: string | Buffer;
  bytes: ByteString;
}

/** Merges searches that are sorted by bytes into one, sorted and without duplicates. */
export function* mergePaths(searches: readonly Iterable<string | Buffer>[]): Generator<string | Buffer> {
  const sources = searches.flatMap((paths) => startSource(paths[Symbol.iterator]()) ?? []);
  let last: ByteString | undefined;
  while (sources.length > 0) {
    const first = sources.reduce((least, source) => (source.bytes < least.bytes ? source : least));
    if (first.bytes !== last) yield first.path;
    last = first.bytes;
    if (!advance(first)) sources.splice(sources.indexOf(first), 1);
  }
}

function startSource(paths: Iterator<string | Buffer>): Source | undefined {
  const source: Source = { paths, path: "", bytes: "" };
  return advance(source) ? source : undefined;
}

function advance(source: Source): boolean {
  const { done, value } = source.paths.next();
  if (done) return false;
  source.path = value;
  source.bytes = typeof value === "string" ? fromText(value) : value.toString("latin1");
  return true;
}
