import { type NamePattern, parseNamePattern } from "./name-pattern.ts";

/** What stands between two slashes of a pattern: a state of the search. */
export interface Segment extends NamePattern {
  /** Whether it leads through symbolic links to directories: `**` does not. */
  readonly entersLinks: boolean;
  /** What applies in a directory that it took. */
  readonly next: readonly Segment[];
  /** The slashes behind the name of that directory. */
  readonly separator: string;
  /** Absent where no path can end. */
  readonly ending: Ending | undefined;
}

/** How paths end that end with a name this segment took. */
export interface Ending {
  readonly slashes: string;
  readonly directoriesOnly: boolean;
}

export interface PathPattern {
  /** The slashes that an absolute pattern starts with. */
  readonly root: string;
  /** What applies where the search starts; empty when the pattern is all slashes. */
  readonly start: readonly Segment[];
}

/** A segment as it is written. */
interface Part {
  readonly text: string;
  readonly slashes: string;
  /** Whether it is a `**`, or stands behind one. */
  readonly isBelowAny: boolean;
}

/**
 * Reads patterns of paths. Those that can be searched together become one: each directory is then read once for all of them.
 * A pattern that can match nothing is left out.
 */
export function parsePathPatterns(texts: readonly string[]): PathPattern[] {
  const together = new Map<string, PathPattern>();
  const alone: PathPattern[] = [];
  for (const text of texts) {
    const { root, parts } = dividePath(text);
    const start = parts && link(parts);
    if (start === undefined) continue;
    const others = together.get(root);
    if (texts.length === 1 || !isPlain(parts)) alone.push({ root, start });
    else together.set(root, { root, start: others ? [...others.start, ...start] : start });
  }
  return [...together.values(), ...alone];
}

function dividePath(text: string): { readonly root: string; readonly parts?: readonly Part[] } {
  // No path has a NUL, and a lone surrogate is no character.
  if (text === "" || text.includes("\0") || !text.isWellFormed()) return { root: "" };
  const [, root = "", rest = ""] = /^(\/*)(.*)$/s.exec(unescapeSlashes(text)) ?? [];
  return { root, parts: splitParts(rest) };
}

/** Whether its paths have no spelling of their own: one slash between names, none at the end, and no `src/**`, which gives `src/`. */
function isPlain(parts: readonly Part[] = []): boolean {
  const last = parts.at(-1);
  if (last === undefined || last.text === "**") return false;
  return parts.every((part) => part.slashes === (part === last ? "" : "/"));
}

/** A slash divides, whatever stands before it: `a\/b` is `a/b`. */
function unescapeSlashes(text: string): string {
  return text.replace(/\\(.)/gs, (escaped, character) => (character === "/" ? "/" : escaped));
}

function splitParts(text: string): Part[] {
  const parts: Part[] = [];
  let isBelowAny = false;
  for (const [, name = "", slashes = ""] of text.matchAll(/([^/]+)(\/*)/g)) {
    isBelowAny ||= name === "**";
    // `**/**` says no more than `**`.
    if (name === "**" && parts.at(-1)?.text === "**") parts.pop();
    // `**` puts one slash behind a directory. Were there two elsewhere, results could not be found in their order.
    parts.push({ text: name, slashes: isBelowAny ? slashes.slice(0, 1) : slashes, isBelowAny });
  }
  return parts;
}

/** Makes the segments, from the last to the first, and returns those that apply at the start. */
function link(parts: readonly Part[]): readonly Segment[] | undefined {
  let start: readonly Segment[] = [];
  for (let index = parts.length - 1; index >= 0; index--) {
    const { text, slashes, isBelowAny } = parts[index] as Part;
    const ending = endingOf(parts, index);
    if (text === "**") {
      start = anyDirectories(start, ending);
      continue;
    }
    const pattern = parseNamePattern(text, { takesDots: !isBelowAny });
    if (pattern === undefined) return undefined;
    start = [{ ...pattern, entersLinks: true, next: start, separator: slashes, ending }];
  }
  return start;
}

/** `**` applies again in every directory it takes, beside what follows it: it may have matched enough, or nothing. */
function anyDirectories(following: readonly Segment[], ending: Ending | undefined): readonly Segment[] {
  const next = [...following];
  const takes = (name: string) => !name.startsWith(".");
  next.unshift({ literal: undefined, takes, entersLinks: false, next, separator: "/", ending });
  return next;
}

function endingOf(parts: readonly Part[], index: number): Ending | undefined {
  const last = parts.length - 1;
  const suffix = parts[last]?.slashes ?? "";
  if (index === last) return { slashes: suffix, directoriesOnly: suffix !== "" };
  if (index !== last - 1 || parts[last]?.text !== "**") return undefined;
  // The last `**` matched nothing. As in bash, `src/**` then gives `src/`, but `*/**` the names that `*` found.
  const isSpelled = parts.slice(0, last).every(({ text }) => text !== "**" && !hasWildcards(text));
  return { slashes: isSpelled ? (parts[index]?.slashes ?? "") : suffix, directoriesOnly: true };
}

function hasWildcards(text: string): boolean {
  return parseNamePattern(text, { takesDots: true })?.literal === undefined;
}
