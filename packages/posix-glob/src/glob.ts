import { existsSync } from "node:fs";
import { type ByteString, fromText, isAscii, toPath } from "./byte-string.ts";
import { parsePathPattern } from "./path-pattern.ts";
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
}

/** A directory being searched. */
interface Frame {
  readonly prefix: ByteString;
  readonly isAscii: boolean;
  readonly findings: readonly Finding[];
  done: number;
}

/**
 * The paths that match a pattern, as `glob(3)` finds them in the C.UTF-8 locale, and `**`.
 *
 * They come one by one, sorted by their bytes, while directories are being read. A path is a string, or the bytes where
 * these are not UTF-8; Node's file functions take both. Directories that cannot be read are passed over.
 *
 * @throws the system's error when there is no use in going on: EIO, EMFILE, ENFILE, ENOMEM.
 */
export function* glob(pattern: string, { cwd, base, filesOnly = false }: GlobOptions = {}): Generator<string | Buffer> {
  const origin = cwd ? `${fromText(cwd)}/` : "";
  const parsed = parsePathPattern(base ? withBase(base, pattern, cwd) : pattern);
  if (parsed === undefined) return;
  const { root, start } = parsed;
  if (start.length === 0 && !filesOnly) yield root;
  const search = (prefix: ByteString, segments: typeof start): Frame => {
    const directory = root === "" ? origin + prefix : prefix;
    return { prefix, isAscii: isAscii(prefix), findings: searchDirectory(directory, segments, filesOnly), done: 0 };
  };
  const stack = [search(root, start)];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const finding = frame.findings[frame.done++];
    if (finding === undefined) stack.pop();
    else if (typeof finding === "string") yield toResult(frame, finding);
    else stack.push(search(frame.prefix + finding.key, finding.segments));
  }
}

/** The whole path. Nearly all are ASCII, and their parts need not be made one text to see that. */
function toResult({ prefix, isAscii: isPrefixAscii }: Frame, name: ByteString): string | Buffer {
  return isPrefixAscii && isAscii(name) ? prefix + name : toPath(prefix + name);
}

/** Writes a text as a pattern that matches itself alone. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[]/g, "\\$&");
}

function withBase(base: string, pattern: string, cwd: string | undefined): string {
  const path = cwd && !base.startsWith("/") ? `${cwd}/${base}` : base;
  const literal = existsSync(path) ? escapeGlob(base) : base;
  return literal.endsWith("/") ? literal + pattern : `${literal}/${pattern}`;
}
