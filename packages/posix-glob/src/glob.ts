import { existsSync } from "node:fs";
import { type ByteString, fromText, isAscii, toPath } from "./byte-string.ts";
import { expandBraces } from "./expand-braces.ts";
import { mergePaths } from "./merge-paths.ts";
import { type PathPattern, parsePathPatterns } from "./path-pattern.ts";
import { type Finding, searchDirectory } from "./search-directory.ts";

/** Where a pattern is looked for, and what may match it. */
export interface GlobOptions {
  /** The directory that relative patterns are searched in; the current one unless told. It is no part of the results. */
  readonly cwd?: string;
  /**
   * A directory put before the pattern, with a slash between them, and so the start of all results. It is taken as it
   * stands where it exists; otherwise its wildcards count.
   */
  readonly base?: string;
  /** Whether only regular files, and symbolic links to them, match. */
  readonly filesOnly?: boolean;
  /** Called after each directory that was searched. `false` ends the search. */
  readonly onDirectory?: (visit: DirectoryVisit) => boolean;
}

/** What happened in one directory of a search. */
export interface DirectoryVisit {
  /** The directory, as results spell it; empty for the one that relative patterns are searched in. */
  readonly path: string | Buffer;
  /** How many entries were looked at. */
  readonly entryCount: number;
  /** The paths of the symbolic links that the search tries to go through, or, with `filesOnly`, gives as files. */
  readonly links: readonly (string | Buffer)[];
  /** Why it could not be read, as the system's code (`EACCES`, `EIO`, `ENAMETOOLONG`, …). Nothing in it is found. */
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
 * The paths that match a pattern, or any of several, as `glob(3)` finds them in the C.UTF-8 locale, with `**` and braces.
 *
 * They come one by one, sorted by their bytes, each once, while directories are being read. A path is a string, or the bytes where
 * these are not UTF-8; Node's file functions take both. Directories that cannot be read are passed over; `onDirectory` hears of
 * them.
 *
 * @throws BraceLimitError when braces stand for too many patterns.
 * @throws the system's error when there is no use in going on: EMFILE, ENFILE, ENOMEM.
 */
export function* glob(pattern: string | readonly string[], options: GlobOptions = {}): Generator<string | Buffer> {
  const { cwd, base, onDirectory = () => true } = options;
  const texts = [pattern].flat().flatMap((each) => expandBraces(base ? withBase(base, each, cwd) : each));
  const patterns = parsePathPatterns(texts);
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
  { cwd, filesOnly = false, onDirectory }: GlobOptions,
): Generator<string | Buffer> {
  const origin = cwd ? `${fromText(cwd)}/` : "";
  if (start.length === 0 && !filesOnly) yield root;
  const enter = (prefix: ByteString, segments: typeof start): Frame | undefined => {
    const { findings, ...found } = searchDirectory(root === "" ? origin + prefix : prefix, segments, filesOnly);
    const links = found.links.map((name) => toPath(prefix + name));
    if (onDirectory?.({ ...found, links, path: toPath(prefix) }) === false) return undefined;
    return { prefix, isAscii: isAscii(prefix), findings, done: 0 };
  };
  const first = enter(root, start);
  const stack = first ? [first] : [];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const finding = frame.findings[frame.done++];
    if (finding === undefined) stack.pop();
    else if (typeof finding === "string") yield toResult(frame, finding);
    else {
      const next = enter(frame.prefix + finding.key, finding.segments);
      if (next === undefined) return;
      stack.push(next);
    }
  }
}

/** The whole path. Nearly all are ASCII, and their parts need not be made one text to see that. */
function toResult({ prefix, isAscii: isPrefixAscii }: Frame, name: ByteString): string | Buffer {
  return isPrefixAscii && isAscii(name) ? prefix + name : toPath(prefix + name);
}

/** Writes a text as a pattern that matches itself alone. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[{},]/g, "\\$&");
}

function withBase(base: string, pattern: string, cwd: string | undefined): string {
  const path = cwd && !base.startsWith("/") ? `${cwd}/${base}` : base;
  const literal = existsSync(path) ? escapeGlob(base) : base;
  return literal.endsWith("/") ? literal + pattern : `${literal}/${pattern}`;
}
